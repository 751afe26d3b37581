import { Link } from "@tanstack/react-router";

export function NotFound() {
  return (
    <div className="m-auto p-8 text-center">
      <h1 className="text-lg font-semibold">There is nothing at this address</h1>
      <Link to="/" className="text-accent underline">
        Go to your conversations
      </Link>
    </div>
  );
}
