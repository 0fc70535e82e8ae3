import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import styles from './button.module.css';

interface AnchorProps extends ComponentProps<'a'> {
  readonly look?: 'main' | 'quiet';
  readonly icon?: IconName;
}

function Anchor({ look, icon, className, children, ...rest }: AnchorProps): ReactNode {
  return (
    <a {...rest} className={classes(styles.button, look && styles[look], className)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

/** A link to another page that looks like a button. */
export const LinkButton: LinkComponent<typeof Anchor> = createLink(Anchor);
