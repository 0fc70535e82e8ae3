import { type ReactNode, useState } from 'react';
import { Segmented } from '../../ui/segmented.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CodePanel } from './code-panel.tsx';
import { EventsPanel } from './events-panel.tsx';
import type { LaneSetup } from './lane.ts';
import type { PlaygroundSearch } from './playground-search.ts';
import { SchemaPanel } from './schema-panel.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import styles from './panel.module.css';

/** Beside the lanes: settings, the schema of an object, events and code of one of them. */
export function Inspector({
  draft,
  onChange,
  schema,
  search,
  setups,
}: {
  readonly setups: readonly LaneSetup[];
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  readonly draft: string;
  readonly search: PlaygroundSearch;
  readonly onChange: (changed: Partial<PlaygroundSearch>) => void;
}): ReactNode {
  const [side, setSide] = useState<'0' | '1'>('0');
  const isRight = side === '1' && setups.length > 1;
  const setup = setups[isRight ? 1 : 0];
  if (setup === undefined) return null;
  const tabs = [
    ...(schema === undefined
      ? []
      : [
          {
            name: 'schema' as const,
            title: 'Schema',
            content: <SchemaPanel schema={schema} onChange={(next) => onChange({ schema: next })} />,
          },
        ]),
    {
      name: 'settings' as const,
      title: 'Settings',
      content: (
        <SettingsPanel
          key={`${side} ${setup.agent.id} ${search.span ?? ''}`}
          agent={setup.agent}
          settings={setup.settings}
          onChange={(next) => onChange(isRight ? { besideSettings: next } : { settings: next })}
        />
      ),
    },
    { name: 'events' as const, title: 'Events', content: <EventsPanel key={side} log={setup.log} /> },
    { name: 'code' as const, title: 'Code', content: <CodePanel setup={setup} draft={draft} schema={schema} /> },
  ];
  const value = tabs.find(({ name }) => name === search.panel)?.name ?? 'settings';
  return (
    <aside className={styles.inspector} aria-label="Settings, events and code">
      {setups.length > 1 && (
        <div className={styles.sides}>
          <Segmented
            label="Of which agent"
            value={isRight ? '1' : '0'}
            options={setups.map(({ agent }, index) => ({
              value: index === 0 ? ('0' as const) : ('1' as const),
              name: `${index === 0 ? 'Left' : 'Right'}: ${agent.name}`,
            }))}
            onChange={setSide}
          />
        </div>
      )}
      <Tabs
        label="Settings, events and code"
        tabs={tabs}
        value={value}
        onChange={(next) => onChange({ panel: next === 'settings' ? undefined : next })}
      />
    </aside>
  );
}
