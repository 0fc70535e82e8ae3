import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './tabs.module.css';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly title: ReactNode;
  readonly content: ReactNode;
}

/** Parts of a page of which one is shown. The page keeps `value` in its address. */
export function Tabs<Name extends string>({
  tabs,
  value,
  onChange,
  label,
  isFilled = false,
}: {
  readonly tabs: readonly Tab<Name>[];
  readonly value: Name;
  readonly onChange: (name: Name) => void;
  readonly label: string;
  /** The contents fill the page, which is filled too, and scroll inside. */
  readonly isFilled?: boolean;
}): ReactNode {
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => onChange(next as Name)}
      className={classes(styles.root, isFilled && styles.filled)}
    >
      <Base.List className={styles.list} aria-label={label}>
        {tabs.map(({ name, title }) => (
          <Base.Tab key={name} value={name} className={styles.tab}>
            {title}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ content, name }) => (
        <Base.Panel key={name} value={name} className={styles.panel}>
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
