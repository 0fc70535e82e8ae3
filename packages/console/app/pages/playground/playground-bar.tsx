import { type ReactNode, useEffect, useState } from 'react';
import { FilterSelect } from '../../ui/filters.tsx';
import { InlineField } from '../../ui/inline-field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import type { AgentSummary } from '../agents/agents-query.ts';
import type { PlaygroundSearch } from './playground-search.ts';

/** Which agents are asked, for whom, and how they reply. */
export function PlaygroundBar({
  agent,
  agents,
  beside,
  onChange,
  search,
  userId,
}: {
  readonly agent: AgentSummary;
  readonly agents: readonly AgentSummary[];
  readonly beside: AgentSummary | undefined;
  readonly search: PlaygroundSearch;
  /** Undefined: the user of the token. */
  readonly userId: string | undefined;
  readonly onChange: (changed: Partial<PlaygroundSearch>) => void;
}): ReactNode {
  const options = agents.map(({ id, name }) => ({ value: id, name }));
  const isObject = search.mode === 'object';
  const remembers = agent.memory !== null && search.span === undefined && !isObject;
  return (
    <>
      <FilterSelect
        label="Agent"
        value={agent.id}
        options={options}
        all={null}
        onChange={(agentId) => onChange({ agentId, conversationId: undefined, settings: undefined })}
      />
      <FilterSelect
        label="Compare with"
        value={beside?.id}
        options={options}
        all="none"
        onChange={(next) => onChange({ beside: next, besideSettings: undefined })}
      />
      <Segmented
        label="Answer"
        value={isObject ? 'object' : 'chat'}
        options={[
          { value: 'chat', name: 'Chat' },
          { value: 'object', name: 'Object' },
        ]}
        onChange={(mode) =>
          onChange({ mode: mode === 'object' ? mode : undefined, panel: mode === 'object' ? 'schema' : undefined })
        }
      />
      {userId !== undefined && (
        <UserField value={userId} onChange={(next) => onChange({ userId: next, conversationId: undefined })} />
      )}
      {remembers && (
        <FilterSelect
          label="Memory"
          value={search.memory === 'off' ? 'off' : 'on'}
          options={['on', 'off']}
          all={null}
          onChange={(next) => onChange({ memory: next === 'off' ? next : undefined })}
        />
      )}
    </>
  );
}

/** It takes effect when the field is left, because each user has other conversations. */
function UserField({
  onChange,
  value,
}: {
  readonly value: string;
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = (): void => {
    const next = text.trim();
    if (next !== value) onChange(next === '' ? undefined : next);
  };
  return (
    <InlineField
      label="User"
      value={text}
      onChange={setText}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}
