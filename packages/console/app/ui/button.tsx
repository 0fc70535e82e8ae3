import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import styles from './button.module.css';

interface ButtonProps extends ComponentProps<'button'> {
  /**
   * `main`: the one action of the view. `danger`: deletes or ends something. Default: an ordinary
   * button.
   */
  readonly look?: 'main' | 'danger' | 'quiet';
  readonly icon?: IconName;
  /** Shows that the action runs, and refuses further clicks. */
  readonly isBusy?: boolean;
}

export function Button({ look, icon, isBusy = false, className, children, disabled, ...rest }: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy}
      className={classes(styles.button, look && styles[look], isBusy && styles.busy, className)}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows only its icon. Screen readers, and the tooltip, say its label. */
export function IconButton({
  label,
  icon,
  className,
  ...rest
}: ComponentProps<'button'> & { readonly label: string; readonly icon: IconName }): ReactNode {
  return (
    <button type="button" aria-label={label} title={label} {...rest} className={classes(styles.icon, className)}>
      <Icon name={icon} />
    </button>
  );
}
