import {
  Activity,
  Archive,
  ArrowUp,
  BookOpen,
  Check,
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  CircleAlert,
  CircleQuestionMark,
  Copy,
  Download,
  Ellipsis,
  Eye,
  EyeOff,
  FlaskConical,
  FoldVertical,
  GitBranch,
  History,
  Image,
  Link,
  Menu,
  MessageSquare,
  Moon,
  Paperclip,
  Pencil,
  Pin,
  PlugZap,
  Plus,
  RotateCcw,
  Settings,
  Square,
  Sun,
  Trash2,
  TriangleAlert,
  Undo2,
  Upload,
  Wrench,
  X,
} from "lucide-react";
import type { ComponentType } from "react";

interface IconProps {
  readonly size?: number;
}

/** Lucide's icons in the app's size, named by their meaning here. */
function icon(Picture: ComponentType<{ size: number; strokeWidth: number; className: string; "aria-hidden": true }>) {
  return function Icon({ size = 18 }: IconProps) {
    return <Picture size={size} strokeWidth={1.8} className="shrink-0" aria-hidden={true} />;
  };
}

export const AlarmIcon = icon(CircleAlert);
export const ArchiveIcon = icon(Archive);
export const BookIcon = icon(BookOpen);
export const BranchIcon = icon(GitBranch);
export const ChatIcon = icon(MessageSquare);
export const CheckIcon = icon(Check);
export const ClipIcon = icon(Paperclip);
export const CloseIcon = icon(X);
export const CopyIcon = icon(Copy);
export const DownIcon = icon(ChevronDown);
export const DownloadIcon = icon(Download);
export const EditIcon = icon(Pencil);
export const EyeIcon = icon(Eye);
export const FlaskIcon = icon(FlaskConical);
export const FoldIcon = icon(FoldVertical);
export const GearIcon = icon(Settings);
export const HelpIcon = icon(CircleQuestionMark);
export const HistoryIcon = icon(History);
export const ImageIcon = icon(Image);
export const LeftIcon = icon(ChevronLeft);
export const LinkIcon = icon(Link);
export const MenuIcon = icon(Menu);
export const MoonIcon = icon(Moon);
export const MoreIcon = icon(Ellipsis);
export const PinIcon = icon(Pin);
export const PlusIcon = icon(Plus);
export const ProviderIcon = icon(PlugZap);
export const PulseIcon = icon(Activity);
export const RetryIcon = icon(RotateCcw);
export const RightIcon = icon(ChevronRight);
export const SendIcon = icon(ArrowUp);
export const StopIcon = icon(Square);
export const SunIcon = icon(Sun);
export const TakeOutIcon = icon(EyeOff);
export const ToolIcon = icon(Wrench);
export const TrashIcon = icon(Trash2);
export const UndoIcon = icon(Undo2);
export const UploadIcon = icon(Upload);
export const WarnIcon = icon(TriangleAlert);
