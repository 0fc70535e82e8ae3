import { type ReactNode, useId } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { AgentSummary } from '../agents/agents-query.ts';
import { type NumberSetting, NumberSettings } from '../playground/number-settings.tsx';
import type { DraftMessage, DraftTool, TrialDraft } from './trial-draft.ts';
import styles from './trial.module.css';

interface TrialEditorProps {
  readonly draft: TrialDraft;
  readonly onChange: (draft: TrialDraft) => void;
  readonly agents: readonly AgentSummary[];
  readonly agentId: string | undefined;
  readonly onAgent: (agentId: string) => void;
  /** The models of the agents, to choose from. */
  readonly models: readonly string[];
}

/** All that a model gets in a call. */
export function TrialEditor({ draft, onChange, agents, agentId, onAgent, models }: TrialEditorProps): ReactNode {
  const id = useId();
  const { instructions, messages, model, settings, tools } = draft;
  const change = (changed: Partial<TrialDraft>): void => onChange({ ...draft, ...changed });
  const changeMessage = (key: number, changed: Partial<DraftMessage>): void =>
    change({ messages: messages.map((each) => (each.key === key ? { ...each, ...changed } : each)) });
  const changeTool = (name: string, changed: Partial<DraftTool>): void =>
    change({ tools: tools.map((each) => (each.name === name ? { ...each, ...changed } : each)) });
  const nextKey = Math.max(-1, ...messages.map(({ key }) => key)) + 1;
  return (
    <>
      <div className={styles.fields}>
        {agents.some((agent) => agent.id === agentId) || (
          <label className={styles.field}>
            Agent
            <select value={agentId ?? ''} onChange={(event) => onAgent(event.target.value)}>
              <option value="">Choose one</option>
              {agents.map((agent) => (
                <option key={agent.id} value={agent.id}>
                  {agent.name}
                </option>
              ))}
            </select>
          </label>
        )}
        <TextField label="Model" list={`${id}-models`} value={model} onChange={(next) => change({ model: next })} />
        <datalist id={`${id}-models`}>
          {models.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </div>
      <NumberSettings
        numbers={numbers}
        defaults={{}}
        settings={settings}
        onChange={({ context: _, contextLimit: __, maxSteps: ___, providerOptions: ____, stopSequences, ...next }) =>
          change({ settings: { ...next, ...(stopSequences !== undefined && { stopSequences: [...stopSequences] }) } })
        }
      />
      <Section title="System prompt">
        <textarea
          className={styles.editor}
          aria-label="System prompt"
          dir="auto"
          rows={countRows(instructions)}
          value={instructions}
          onChange={(event) => change({ instructions: event.target.value })}
        />
      </Section>
      <Section
        title="Messages"
        actions={
          <Button
            look="quiet"
            onClick={() => change({ messages: [...messages, { key: nextKey, role: 'user', text: '', isJson: false }] })}
          >
            Add a message
          </Button>
        }
      >
        <ol className={styles.list}>
          {messages.map(({ isJson, key, role, text }, index) => (
            <li key={key} className={styles.message}>
              <header>
                <h3>
                  {role}
                  {isJson && <span className={styles.note}> as JSON</span>}
                </h3>
                <IconButton
                  icon="trash"
                  label={`Remove message ${index + 1}`}
                  onClick={() => change({ messages: messages.filter((each) => each.key !== key) })}
                />
              </header>
              <textarea
                className={styles.editor}
                aria-label={`Message ${index + 1} of the ${role}`}
                dir="auto"
                spellCheck={!isJson}
                rows={countRows(text)}
                value={text}
                onChange={(event) => changeMessage(key, { text: event.target.value })}
              />
            </li>
          ))}
        </ol>
      </Section>
      {tools.length > 0 && (
        <Section title="Tools" about="The model may propose calls. None is run.">
          <ul className={styles.list}>
            {tools.map(({ isOffered, name, text }) => (
              <li key={name}>
                <label className={styles.offered}>
                  <input
                    type="checkbox"
                    checked={isOffered}
                    onChange={(event) => changeTool(name, { isOffered: event.target.checked })}
                  />
                  {name}
                </label>
                {isOffered && (
                  <details>
                    <summary>Description and arguments</summary>
                    <textarea
                      className={styles.editor}
                      aria-label={`Tool ${name}`}
                      spellCheck={false}
                      rows={countRows(text)}
                      value={text}
                      onChange={(event) => changeTool(name, { text: event.target.value })}
                    />
                  </details>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

const numbers: readonly NumberSetting[] = [
  { name: 'temperature', title: 'Temperature', min: 0, max: 2 },
  { name: 'topP', title: 'Top P', min: 0, max: 1 },
  { name: 'maxOutputTokens', title: 'Output tokens', min: 1, isWhole: true },
  { name: 'frequencyPenalty', title: 'Frequency penalty', min: -2, max: 2 },
  { name: 'presencePenalty', title: 'Presence penalty', min: -2, max: 2 },
  { name: 'seed', title: 'Seed', isWhole: true },
];

function countRows(text: string): number {
  return Math.min(Math.max(text.split('\n').length + Math.floor(text.length / 110), 2), 16);
}
