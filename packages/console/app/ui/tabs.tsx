import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
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
}: {
  readonly tabs: readonly Tab<Name>[];
  readonly value: Name;
  readonly onChange: (name: Name) => void;
  readonly label: string;
}): ReactNode {
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(next as Name)} className={styles.root}>
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
