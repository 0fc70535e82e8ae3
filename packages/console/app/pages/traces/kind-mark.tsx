import type { ReactNode } from 'react';
import { classes } from '../../ui/classes.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import type { SpanKind } from './span-rows.ts';
import styles from './kind-mark.module.css';

const kinds: Readonly<Record<SpanKind, { readonly icon: IconName; readonly name: string }>> = {
  agent: { icon: 'agents', name: 'Agent' },
  model: { icon: 'model', name: 'Model' },
  tool: { icon: 'tools', name: 'Tool' },
  workflow: { icon: 'workflows', name: 'Workflow or step' },
  memory: { icon: 'conversations', name: 'Memory' },
  other: { icon: 'traces', name: 'Other' },
};

/** The kind of a span, as a coloured icon. */
export function KindMark({ kind }: { readonly kind: SpanKind }): ReactNode {
  const { icon, name } = kinds[kind];
  return (
    <span className={classes(styles.kind, styles[kind])} title={name}>
      <Icon name={icon} size={11} />
    </span>
  );
}

/** The icons that occur, with their names. */
export function KindLegend({ kinds: shown }: { readonly kinds: ReadonlySet<SpanKind> }): ReactNode {
  return (
    <ul className={styles.legend} aria-label="Legend">
      {(Object.keys(kinds) as SpanKind[])
        .filter((kind) => shown.has(kind))
        .map((kind) => (
          <li key={kind}>
            <KindMark kind={kind} /> {kinds[kind].name}
          </li>
        ))}
    </ul>
  );
}
