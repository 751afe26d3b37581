import type { ComponentProps } from "react";

interface FormProps extends Omit<ComponentProps<"form">, "onSubmit"> {
  readonly onSubmit: () => void;
}

/** A form that is handled in the page: sending it does not load another one. */
export function Form({ onSubmit, ...rest }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      {...rest}
    />
  );
}
