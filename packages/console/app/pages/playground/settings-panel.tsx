import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import type { JsonSchema } from '../../ui/schema-form/json-schema.ts';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import type { AgentSummary } from '../agents/agents-query.ts';
import { type NumberSetting, NumberSettings } from './number-settings.tsx';
import type { RunSettings } from './playground-search.ts';
import styles from './panel.module.css';

interface SettingsPanelProps {
  readonly agent: AgentSummary;
  readonly settings: RunSettings;
  readonly onChange: (settings: RunSettings) => void;
}

/** The settings for runs of an agent. A change counts as soon as it is valid. */
export function SettingsPanel(props: SettingsPanelProps): ReactNode {
  const { agent, onChange, settings } = props;
  const [version, setVersion] = useState(0);
  const reset = (): void => {
    onChange({});
    setVersion(version + 1);
  };
  return (
    <div className={styles.panel}>
      <div className={styles.panelHead}>
        <h3>Settings of {agent.name}</h3>
        <Button look="quiet" disabled={Object.keys(settings).length === 0} onClick={reset}>
          Reset
        </Button>
      </div>
      <Fields key={version} {...props} />
    </div>
  );
}

function Fields({ agent, onChange, settings }: SettingsPanelProps): ReactNode {
  const { context, providerOptions, stopSequences, ...numbers } = settings;
  const form = useSchemaForm(otherSettings, { context, providerOptions, stopSequences });
  const change = (value: unknown): void => {
    form.setValue(value);
    const set = Object.entries((value ?? {}) as Record<string, unknown>).filter(([, each]) => isReady(each));
    onChange({ ...numbers, ...Object.fromEntries(set) });
  };
  return (
    <>
      <NumberSettings
        numbers={numberSettings}
        defaults={{
          ...agent.settings.generation,
          maxSteps: agent.settings.maxSteps,
          contextLimit: readContextLimit(agent),
        }}
        settings={settings}
        onChange={onChange}
      />
      <SchemaForm form={{ ...form, setValue: change }} label="More" />
    </>
  );
}

const numberSettings: readonly NumberSetting[] = [
  { name: 'temperature', title: 'Temperature', min: 0, max: 1 },
  { name: 'topP', title: 'Top P', min: 0, max: 1 },
  { name: 'maxOutputTokens', title: 'Output tokens', min: 1, isWhole: true },
  { name: 'maxSteps', title: 'Steps', min: 1, max: 50, isWhole: true },
  { name: 'frequencyPenalty', title: 'Frequency penalty', min: 0, max: 2 },
  { name: 'presencePenalty', title: 'Presence penalty', min: 0, max: 2 },
  { name: 'seed', title: 'Seed', isWhole: true },
  { name: 'contextLimit', title: 'Earlier messages', min: 0, max: 1_000, isWhole: true },
];

const otherSettings: JsonSchema = {
  type: 'object',
  properties: {
    stopSequences: { type: 'array', items: { type: 'string' }, title: 'Stop sequences' },
    context: { type: 'object', title: 'Context', description: 'Passed to instructions and tools.' },
    providerOptions: { type: 'object', title: 'Options of providers', description: 'By the name of the provider.' },
  },
};

function readContextLimit({ memory }: AgentSummary): unknown {
  return memory?.config['contextLimit'];
}

/** JSON that is not finished yet is an object of a class. */
function isReady(value: unknown): boolean {
  if (value === undefined) return false;
  return Array.isArray(value) || (typeof value === 'object' && value !== null && isPlain(value));
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}
