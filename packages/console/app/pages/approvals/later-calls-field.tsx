import type { ReactNode } from 'react';
import type { components } from '../../api/schema.ts';
import { FilterSelect } from '../../ui/filters.tsx';
import type { Approval } from './use-approvals.ts';
import styles from './approvals.module.css';

export type LaterCalls = components['schemas']['Always'];

const hourMs = 60 * 60 * 1000;
const times = [
  { value: String(hourMs), name: 'an hour' },
  { value: String(24 * hourMs), name: 'a day' },
  { value: String(30 * 24 * hourMs), name: '30 days' },
];

/** Whether an approval is also for later calls of the tool, and for how long. */
export function LaterCallsField({
  approval: { conversationId, userId },
  value,
  onChange,
}: {
  readonly approval: Pick<Approval, 'conversationId' | 'userId'>;
  readonly value: LaterCalls | undefined;
  readonly onChange: (value: LaterCalls | undefined) => void;
}): ReactNode {
  const scopes = [
    ...(conversationId === null ? [] : [{ value: 'conversation', name: 'later calls in this conversation' }]),
    ...(userId === null ? [] : [{ value: 'tool', name: `later calls for ${userId}` }]),
  ];
  if (scopes.length === 0) return null;
  return (
    <div className={styles.later}>
      <FilterSelect
        label="Also for"
        value={value?.scope}
        all="no other call"
        options={scopes}
        onChange={(scope) =>
          onChange(
            scope === 'conversation' || scope === 'tool' ? { expiryMs: 24 * hourMs, ...value, scope } : undefined,
          )
        }
      />
      {value !== undefined && (
        <FilterSelect
          label="Lasts"
          value={String(value.expiryMs)}
          all={null}
          options={times}
          onChange={(expiryMs) => onChange({ ...value, expiryMs: Number(expiryMs) })}
        />
      )}
    </div>
  );
}
