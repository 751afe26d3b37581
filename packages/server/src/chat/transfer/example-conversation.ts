import type { Message } from "@midfold/core";

export interface Example {
  readonly title: string;
  /** User and assistant take turns, the user first. */
  readonly lines: readonly string[];
}

/**
 * A conversation long enough that the next message overflows the demo model's window, so that a newcomer sees a fold.
 */
export function exampleConversation(language: keyof typeof examples): {
  readonly title: string;
  readonly messages: readonly Message[];
} {
  const { title, lines } = examples[language];
  return {
    title,
    messages: lines.map((text, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      parts: [{ type: "text", text }],
    })),
  };
}

/** Written for Midfold, with what a summary must not lose: decisions, numbers, constraints and a change of mind. */
const exampleEnglish: Example = {
  title: "Moving the bookshop's website",
  lines: [
    "I run a small bookshop in Lisbon, Livraria Alfama, and our website is falling apart. It runs on an old PHP shop from 2014 on a rented server that costs 38 euros a month. We have 11,420 titles, about 2,300 customers, and roughly 60 orders a week. I want to move it to something I can maintain. I know a little Python. Please never suggest anything that deletes or rewrites the customers table: I was burned once.",
    "Understood: the customers table is read-only in everything I propose. With 11,420 titles and 60 orders a week you do not need anything large. Three directions fit a person who knows some Python:\n\n1. A hosted shop. Least work, about 30 to 40 euros a month, but you give up control of the data model.\n2. Django with a small PostgreSQL database on one server. More work at first, then very little. About 12 euros a month.\n3. A static site built every night from a spreadsheet, with a hosted checkout. Cheapest, but no live stock.\n\nBefore choosing I would like to know how stock is kept today, who else edits the site, and whether you sell second-hand copies, because those are single items rather than quantities.",
    "Stock is kept in the shop's till, a program called Gesta 4 that can export a CSV file every hour to a folder. My colleague Inês edits descriptions, she is not technical at all. And yes, about 3,100 of the titles are second-hand, single copies with a condition note such as 'slightly foxed, spine repaired'. They sell best of all.",
    "That settles a lot. Second-hand copies with condition notes are the heart of the shop, so the data model should have a title (the work) and copies (the things on the shelf), where new books are just a copy with a quantity. A hosted shop fights you on exactly this point.\n\nThe hourly CSV from Gesta 4 is good news: the till stays the only place where stock changes, and the website follows it. Inês needs an editing screen that cannot break anything; Django's admin gives you one for free.\n\nSo I would choose option 2: Django and PostgreSQL. The website reads the CSV at five minutes past each hour, updates quantities, and never writes back to the till.",
    "Good, let's do Django. One constraint: the address of every book page must stay the same, because half of our visitors come from search engines. They look like /livro/8812-o-ano-da-morte-de-ricardo-reis. And the site must work in Portuguese and English, Portuguese first.",
    "Both are easy to keep. The number in the address is the old product id, so each title keeps it as `legacy_id`, and the route is `/livro/<legacy_id>-<slug>`. If the slug is spelled differently we answer with a permanent redirect to the right spelling, so no link ever breaks.\n\nFor languages: pages in Portuguese at the plain address, English under `/en/`. Titles and descriptions have one field per language; when the English one is empty we show the Portuguese text rather than nothing.\n\nProposed model, in short:\n\n```python\nclass Title(models.Model):\n    legacy_id = models.PositiveIntegerField(unique=True)\n    slug = models.SlugField(max_length=200)\n    name_pt = models.CharField(max_length=300)\n    name_en = models.CharField(max_length=300, blank=True)\n\nclass Copy(models.Model):\n    title = models.ForeignKey(Title, on_delete=models.PROTECT)\n    condition = models.CharField(max_length=200, blank=True)\n    price_cents = models.PositiveIntegerField()\n    quantity = models.PositiveIntegerField(default=1)\n```\n\n`PROTECT` means that nobody can delete a title that still has copies.",
    "I like that. What about the customers? They have passwords in the old database, hashed with something from 2014. I don't want 2,300 people to have to register again.",
    "You do not have to. The old shop stores salted SHA-1, 40 hexadecimal characters and a salt of 8. We copy email, name, address and the old hash into the new database once, with a script that only reads from the old one. Django lets you add a password hasher for the old form: when somebody signs in and the old hash matches, their password is stored again with Argon2 in the same moment. After six months whoever has not signed in gets a reset link by mail instead.\n\nThe customers table of the old server is never written to; the script connects with a database user that has SELECT and nothing else. I would also keep a dump of the old database, encrypted, in two places.",
    "Perfect, SELECT only, exactly. Shipping next. We ship inside Portugal with CTT for 3.90 euros up to 2 kg, free from 45 euros. To Spain 7.50, to the rest of the European Union 11.20. Nothing outside the Union any more, customs were a nightmare. Local pickup is free and we want to keep it.",
    "Noted. As a table the shop can edit itself:\n\n| Where | Up to 2 kg | Free from |\n| --- | --- | --- |\n| Portugal (CTT) | 3.90 € | 45 € |\n| Spain | 7.50 € | never |\n| Rest of the EU | 11.20 € | never |\n| Pickup in Alfama | 0 € | always |\n| Outside the EU | not offered | |\n\nBooks need a weight for this. Does the Gesta 4 export contain it? If not, 400 grams for a paperback and 700 for a hardback are good guesses, and Inês can correct them for the heavy art books.",
    "The export has no weights. Use your guesses, but art books are a real problem, we have about 240 of them and some weigh 3 kilos. For those above 2 kg the CTT price is 6.40.",
    "Then one more row: Portugal above 2 kg costs 6.40 €, still free from 45 €. I will mark the 240 art books by their category in the export and give them 2.5 kg until Inês has weighed them; a list 'still to be weighed' in the admin shows how many are left.\n\nPayment: which ways do you need? In Portugal most shops of your size offer Multibanco references and MB WAY beside cards.",
    "Multibanco, MB WAY and cards. We already have a contract with Easypay, account number EP-20931. Invoices have to be certified by the tax office, we use InvoiceXpress for that and it has an API. The invoice series for the website must be WEB2026.",
    "Good, both have plain HTTP interfaces. The flow will be:\n\n1. The customer confirms the basket; the copies are reserved for 30 minutes.\n2. Easypay (account EP-20931) is asked for a payment; a Multibanco reference is valid for 3 days, so those orders keep their copies reserved for 3 days instead.\n3. When Easypay tells us that it was paid, InvoiceXpress writes the invoice in the series WEB2026 and mails it.\n4. The order appears on the packing list.\n\nPayment notices can arrive twice or out of order, so each is stored with its id first and handled once. If InvoiceXpress does not answer, the order is packed all the same and the invoice is tried again every ten minutes; somebody is told after an hour.",
    "Wait, three days of reservation for a single second-hand copy is too long, somebody in the shop may want to buy it. Make it 24 hours for second-hand copies, three days only for new books.",
    "Changed: Multibanco references are valid for 24 hours when the basket contains a second-hand copy, and for 3 days otherwise. If the till sells a reserved copy anyway, the hourly import notices that its quantity fell to zero, cancels the online order, and tells you and the customer at once; if it had been paid, the money goes back through Easypay.\n\nNow the server. One machine with 2 cores and 4 GB is plenty: 12 euros a month with backups. I suggest Debian, PostgreSQL 17, Caddy for certificates, and the application as a system service. Backups: a dump every night at 03:30, kept for 30 days, copied to a second provider.",
    "Which provider? It has to be in the European Union. And I want to be able to restore it myself, so please write the restore steps down when we get there. My budget is 25 euros a month for everything.",
    "Hetzner in Falkenstein for the server (about 8.50 €) and Scaleway in Paris for the copies of the backups (under 1 €). With the domain and mail that is about 14 euros a month, well under your limit of 25. I will write the restore steps as a checklist and we will try it once on an empty machine before the move; a backup nobody has restored is only a hope.\n\nPlan for the move: two weeks of building, one week in which both sites run and the new one is only for you and Inês, then the change on a Tuesday morning, since Monday is your busiest day online.",
    "Tuesday is good, but not before 14 October, we have the book fair until the 12th. And Inês is on holiday from 20 to 31 October. So it has to be Tuesday the 14th.",
    "Then Tuesday 14 October it is: building from 15 September, both sites side by side from 6 October, the change on the 14th at 07:00 before the shop opens, and I would keep the old server switched on, but closed to visitors, until 14 November. Inês is there for the first days and away only from the 20th, when everything should be calm.\n\nFor the change itself: freeze orders at 07:00, last import of customers and orders, check of 25 addresses from the search engines' list, switch the DNS entry (lowered to 300 seconds the day before), test order with MB WAY for one euro, open. If anything is wrong by 09:00 we switch back and try again on the following Tuesday.",
    "That sounds like a plan I can follow. Newsletter: we have 1,870 addresses in Mailchimp, it costs too much. I'd like to send it from our own site, once a month, only to people who agreed. We have the dates of consent for 1,512 of them.",
    "Then only those 1,512 may be moved; the other 358 would have to be asked again, and a mail that asks for consent is itself a grey area, so I would leave them behind. Each address keeps its date of consent and where it was given. Sending from your own server tends to end in the spam folder; use Scaleway's mail service for it, about 0.25 € per thousand mails, with a link to unsubscribe that works with one click.\n\nShall I start with the models and the import from Gesta 4, or with the customers script?",
    "Start with the models and the import. What does the import do when the CSV file is broken or half written? Gesta 4 has crashed in the middle of an export before, and the old shop then showed 4,000 books as sold out for a whole weekend.",
    "That must not happen again, so the import is careful in four ways:\n\n1. It waits until the file has not changed for 60 seconds, and reads a copy.\n2. The last line of a Gesta 4 export says how many rows it has. If that line is missing or the number is wrong, the file is put aside and the previous stock stays as it is.\n3. If more than 5 percent of all titles would become unavailable in one go, nothing is changed and you get a mail with the list. You can confirm it with one click, for the day you really clear out the cellar.\n4. Each import is one database transaction. Visitors see the old stock or the new stock, never half of each.\n\nEvery import leaves a record: when, how many rows, how many copies changed, how long it took. The admin shows the last hundred.",
    "Five percent is too low after the book fair, we can sell 900 titles in a day. Make it 10 percent, and send the warning to both of us: rita@livraria-alfama.example and ines@livraria-alfama.example.",
    "Ten percent then, about 1,140 titles, and both addresses get the warning.\n\nThe columns of the export matter now. From your sample I read: `CODIGO` (the old product id, our `legacy_id`), `TITULO`, `AUTOR`, `EDITORA`, `ISBN`, `PVP` (price in euros with a comma), `STOCK`, `ESTADO` (condition, empty for new books) and `CATEGORIA`. The file is in Windows-1252, separated by semicolons. Prices such as `12,50` become 1250 cents, so that no rounding ever happens.\n\nWhat should happen to the text Inês has improved? If the till's description changes, the import could overwrite her work.",
    "Never overwrite what Inês wrote. The till's text is only a first draft. But prices and stock always come from the till.",
    "Then every title has two texts: the one from the till, which the import may change, and Inês's own, which it never touches. The page shows hers when there is one. When the till's text changes under a description of hers, the admin puts a small mark beside it, so she can look at it when she has time.\n\nSearch: visitors type 'saramago ricardo reis' or half an ISBN. PostgreSQL's full-text search with a Portuguese dictionary and trigram matching for typing mistakes is enough for 11,420 titles and answers in a few milliseconds; no extra service is needed. Accents do not count: 'joao' finds 'João'.",
    "Good. People also ask for books we do not have. Could they leave their address and be told when a copy comes in? For second-hand books that would be wonderful, some wait for years.",
    "Yes, and it is a small thing: a wish consists of an address, words or an ISBN, an optional highest price, and the date. After each import the new copies are compared with the open wishes; whoever matches gets one mail with a link, and the copy is kept for that person for 24 hours, the same time as other second-hand reservations. If several people wish for the same copy, the oldest wish comes first and the next person is told when the 24 hours are over.\n\nWishes are personal data, so they expire after two years unless the person renews them, and each mail has a link to delete the wish. I will add the table `Wish` with `email`, `query`, `max_price_cents`, `created_at` and `expires_at`.",
    "Two years is right. Please also make sure that the reviews are moved: there are 640 of them, written by customers since 2015. Some contain the customer's full name in the text, and last year one person asked us to remove hers. I don't know if that was ever done.",
    "I will move all 640 with their dates and stars, but show only the first name and the initial of the surname beside them, and list every review whose text contains a customer's full name, so that Inês can decide one by one. For the request of last year: search your mail for 'remover' or 'apagar' with 'opinião', and give me the order number or the title; I will make sure that review is not imported, and note the date of the request and of its removal, because the law expects an answer within one month.\n\nNext steps, as I see them: (1) models and admin, (2) the import with the four safeguards and the 10 percent rule, (3) customers with SELECT-only access, (4) basket, reservations and Easypay EP-20931, (5) invoices in series WEB2026, (6) wishes and newsletter, (7) the restore exercise, (8) the move on 14 October.",
  ],
};

/** Written for Midfold, like the English one: constraints, figures, names and a change of mind. */
const exampleChinese: Example = {
  title: "社区图书馆的新系统",
  lines: [
    "我在杭州管理一家社区图书馆，叫“拱宸书屋”，有 8,640 册书和 1,930 位读者。现在用的是一个 2012 年的桌面程序，数据存在 Access 文件里，只有一台电脑能用。我想换成网页系统，自己会一点 Python。有一条必须遵守：绝不能丢失任何借阅记录，也不要修改旧的 Access 文件，只能读取。",
    "明白：旧的 Access 文件只读，所有借阅记录都要完整保留。以 8,640 册书和 1,930 位读者的规模，一台小服务器就足够了。有三种做法：\n\n1. 使用现成的开源图书馆系统，功能全，但很重，改起来麻烦。\n2. 用 Django 加 PostgreSQL 自己写，前期工作多一些，以后好维护。\n3. 用在线表格加几个脚本，最便宜，但多人同时借书会出错。\n\n在选择之前，我想知道：借书用条码吗？一共有几个人在前台工作？读者需要在手机上查书和续借吗？",
    "用条码，每本书有 10 位数字的馆藏号，以 GC 开头，比如 GC00031207。前台有三个人轮班：王芳、老陈和小刘，其中老陈快七十岁了，界面一定要简单，字要大。读者希望在手机上查书、预约和续借。每人最多借 5 本，期限 30 天，可以续借一次，续 15 天。",
    "这些信息很有用。我建议选第二种：Django 加 PostgreSQL。数据模型分成“书目”和“馆藏”两层：同一本书可以有几册，每一册有自己的馆藏号（GC 加 8 位数字）。借阅规则写成可以修改的设置：最多 5 本，30 天，续借一次 15 天。\n\n给老陈的前台界面只有三个大按钮：借书、还书、查读者。扫描读者证，再扫描书，屏幕显示绿色的“已借出”和应还日期；出错时用红色和一句话说明原因，比如“这位读者已经借了 5 本”。所有操作都可以用扫描枪完成，不需要鼠标。",
    "很好。逾期怎么办？我们不罚钱，但是逾期超过 60 天的读者要暂停借书，还清后马上恢复。另外儿童读者（14 岁以下）只能借 3 本，而且必须有家长的电话。",
    "都可以做成规则：\n\n| 读者 | 最多 | 期限 | 续借 |\n| --- | --- | --- | --- |\n| 成人 | 5 本 | 30 天 | 一次，15 天 |\n| 儿童（14 岁以下） | 3 本 | 30 天 | 一次，15 天 |\n\n逾期不罚款。逾期 7 天发第一次短信，30 天发第二次，超过 60 天自动暂停借书，全部归还后立刻恢复，不需要人工处理。儿童读者的资料里“家长电话”是必填项，短信发给家长。孩子满 14 岁时系统会提醒前台改成成人读者，但不会自动修改。",
    "短信用阿里云，我们已经有账号，签名是“拱宸书屋”，模板编号 SMS_284510936。每个月大概 400 条。预算每个月不能超过 150 元，包括服务器。",
    "阿里云短信每条约 0.045 元，400 条大约 18 元。服务器选 2 核 2 GB 的轻量应用服务器，每月约 60 元，数据库和网站放在一起就够用。加上备份存储 5 元，一共约 83 元，低于 150 元的上限。\n\n短信通过签名“拱宸书屋”和模板 SMS_284510936 发送。为了不打扰读者，只在上午 9 点到晚上 8 点之间发送，同一位读者一天最多一条。发送失败会在第二天重试一次，再失败就在前台列出来，请工作人员打电话。",
    "预约呢？热门的书常常有十几个人排队。书还回来以后给第一个人保留 3 天，过期就轮到下一个。",
    "按顺序排队，书归还后状态变成“为某某保留”，发短信通知，保留 3 天。第三天闭馆时还没有来取，就自动轮到下一位，并再次通知。读者在手机上能看到自己排在第几位，以及大概要等多久（按最近十次借阅的平均天数估算）。\n\n有一个问题要您决定：有人排队时，正在借书的读者还能续借吗？一般的做法是不允许。",
    "有人排队就不能续借，对。还有一点我改变主意了：保留时间改成 5 天吧，很多读者只有周末才能来，3 天太短。",
    "已经改为保留 5 天，并且闭馆日不计算在内。您的开馆时间是怎样的？这会影响应还日期：如果到期那天闭馆，就顺延到下一个开馆日。",
    "周一闭馆，周二到周五 9:30 到 18:00，周末 9:00 到 20:00。春节从除夕到初六闭馆，日期每年不同。",
    "好的：周一闭馆，到期日落在周一就顺延到周二。春节等假期在后台日历里一次录入，所有应还日期和保留日期自动避开这些天。\n\n现在说数据迁移。Access 文件有哪些表？我的计划是：写一个只读的导出脚本，把书目、馆藏、读者和借阅记录导出成 CSV；再导入到 PostgreSQL，每一条记录保留原来的编号；最后做核对：册数 8,640、读者 1,930、未归还的借阅数必须与旧系统完全一致，有一条不符就不切换。",
    "表有 books、copies、readers、loans 四个，loans 里大约有 96,000 条记录，从 2012 年 3 月开始。有些早期记录没有归还日期，其实书早就还了，这些也要保留原样，不要替我们改。",
    "会保留原样：没有归还日期的早期记录导入时加一个标记“旧系统遗留”，不改动内容，也不计入读者现在的借书数量，前台可以按标记查到它们，由王芳她们逐条确认。\n\n96,000 条记录导入只要几分钟。切换那天的步骤：闭馆日周一上午停止旧系统，最后一次导出，导入，核对三个数字，三个人各借还一本书试用，下午打印新的读者证二维码。旧电脑和 Access 文件保留一年，不删除。",
    "切换的日期定在 3 月 16 日，周一。在那之前一周请让老陈先练习，他的意见最重要。备份要放在另一个地方，馆里的移动硬盘也要一份，而且我要学会自己恢复。",
    "记下了：3 月 16 日周一切换，3 月 9 日起老陈用练习数据试用一周，他觉得不清楚的地方我们先改。备份每天凌晨 2:30 自动进行，保留 30 天，一份在另一个地域的对象存储，一份由您每周五拷到移动硬盘。我会写一页恢复步骤，并在切换前和您一起在一台空的服务器上完整恢复一次。\n\n接下来先写数据模型和导入脚本，还是先做老陈的前台界面？",
    "先写数据模型和导入脚本。导入的时候如果中途出错怎么办？上次换系统，旧公司导到一半停电了，结果有两百多本书变成“已借出”，我们盘点了整整两个星期才理清楚。",
    "这一次不会这样。导入会遵守四条规则：\n\n1. 整个导入是一个数据库事务，要么全部成功，要么什么都没有改变，不会停在中间。\n2. 导入前先检查：馆藏号格式（GC 加 8 位数字）、读者证号是否重复、日期是否合理，有问题的行先列成清单给您看。\n3. 导入后核对三个数字：8,640 册、1,930 位读者、未归还的借阅数，只要有一个不一致就自动撤销。\n4. 每一次导入都留下记录：时间、行数、耗时、检查结果，后台可以查看。\n\n另外，正式切换之前我们至少完整演练两次，用的是 Access 文件的副本。",
    "演练两次很好。读者证号有重复的，这个我知道：早年有 37 位读者办过两张证，两张证上都有借阅记录。请不要自动合并，要先问过读者本人。",
    "明白，不自动合并。这 37 位读者的两张证都原样导入，系统在后台显示“可能是同一个人”，并列出两张证的姓名、电话和最后一次借书的日期。等读者本人来馆时，前台核对身份后点“合并”，两边的借阅记录都保留，旧的证号以后扫描也能找到他。合并会记录是谁、在什么时间操作的，七天之内可以撤销。",
    "手机上的查书页面，读者要登录吗？很多老人不会用密码。我们想用微信扫码登录，但是小孩子没有微信。",
    "查书不需要登录，谁都可以查。续借和预约需要登录，提供两种方式：\n\n- 微信扫码，第一次用时输入读者证号和手机后四位完成绑定，以后扫一下就可以。\n- 读者证号加手机验证码，不需要密码，适合没有微信的人；儿童读者的验证码发到家长的手机。\n\n一位家长可以绑定几个孩子，在同一个页面里看到全家借的书和应还日期。为了防止有人乱试，同一个证号一小时最多请求五次验证码。",
    "家长看到全家的书，这个太好了。还有一个需求：我们每个月有一次“故事会”，在周六下午，最多 25 个孩子，以前是用微信群接龙，常常超员，家长有意见。",
    "可以加一个简单的活动报名：活动有名称、时间、名额（故事会是 25 人）和年龄范围。家长登录后为孩子报名，满员后进入候补，有人取消就按顺序通知候补的第一位，保留 12 小时。活动前一天上午发短信提醒，短信里写明如果来不了请点链接取消。连续两次报名又不来的，下一次只能候补，这一条可以在设置里关掉。\n\n为了公平，报名在每月 1 日上午 10 点开放，同一个孩子每月只能报一场。",
    "“两次不来只能候补”先关掉，我们是社区图书馆，不想让家长觉得严厉。其他的都可以。另外盘点怎么做？我们每年七月盘点一次，闭馆三天，以前是两个人念、一个人打勾。",
    "已经关掉。盘点可以轻松很多：前台打开“盘点”，拿扫描枪沿着书架逐本扫描，系统记录每一册在哪个书架被看到。扫描结束后自动得出三张清单：在架但系统里是“已借出”的、系统里在架但没有扫到的、放错书架的。三个人可以同时扫不同的书架，结果会合在一起。8,640 册书，三个人大约一天就能扫完，另外两天用来处理差异。\n\n盘点期间不需要停止还书，还回来的书会自动算进去。盘点的结果不会自动修改任何借阅状态，每一处差异都由工作人员确认，这样您就不用担心记录被改乱。",
    "太好了，这样七月就不用那么累了。最后一个问题：区里每个季度要报表，借阅量、新读者、儿童读者的比例、最受欢迎的二十本书。以前我要手工统计两天，而且常常算错。",
    "报表可以自动生成：每季度第一天早上，系统把上一季度的数字整理成一个 Excel 文件发到您的邮箱，内容包括总借阅量、按月的变化、新读者人数、14 岁以下读者的比例、最受欢迎的二十本书，以及与去年同一季度的比较。因为旧记录从 2012 年 3 月起都完整导入了，所以第一份报表就能和以前的年份比较。“旧系统遗留”的记录会单独列一行，不混在借阅量里，这样数字经得起核对。\n\n我整理一下接下来的顺序：（1）数据模型和后台；（2）导入脚本和四条规则，演练两次；（3）老陈的前台界面，3 月 9 日开始试用；（4）预约、续借和短信，保留 5 天；（5）手机查书和家庭账户；（6）故事会报名；（7）盘点和季度报表；（8）恢复演练，然后 3 月 16 日切换。",
  ],
};

const examples = { en: exampleEnglish, zh: exampleChinese } as const;
