import { type ReactNode, useEffect, useState } from 'react';
import { decide, type Expense, type ExpenseEvent, follow, type Step } from './expense-api.ts';

interface OpenExpenseProps {
  /** The person who looks at the page. */
  readonly actor: string;
  readonly id: string;
  /** Undefined until the list is loaded, and for old claims. */
  readonly expense: Expense | undefined;
  readonly steps: readonly Step[];
  readonly onChange: () => void;
  /** Continues as the other person. */
  readonly onSwitch: () => void;
}

/** One claim: its steps as they run, and the decision that it waits for. */
export function OpenExpense({ actor, expense, id, onChange, onSwitch, steps }: OpenExpenseProps): ReactNode {
  const events = useEvents(id, onChange);
  const last = events.at(-1);
  const isWaiting = last?.type === 'workflow-result' && last['status'] === 'suspended';
  const waiting = isWaiting ? (last['suspension'] as { readonly reason: string; readonly stepId: string }) : undefined;
  if (last === undefined) return <section className="card" id="open" aria-busy="true" />;

  return (
    <section className="card" id="open" aria-live="polite">
      <h2>{expense === undefined ? 'Expense' : `€ ${expense.input.euros.toFixed(2)} for ${expense.input.purpose}`}</h2>
      <ol className="steps">
        {steps.flatMap(shownSteps).map(({ id: stepId, name, purpose, within }) => {
          const state = waiting?.stepId === stepId ? 'waiting' : stateOf(events, stepId, within);
          return (
            <li key={stepId} data-step={stepId} data-state={state}>
              <b>{name}</b> <span className="state">{state}</span>
              <small>{purpose}</small>
            </li>
          );
        })}
      </ol>
      {waiting !== undefined && (
        <Approval
          key={last.seq}
          actor={actor}
          employee={expense?.input.employee}
          id={id}
          reason={waiting.reason}
          onChange={onChange}
          onSwitch={onSwitch}
        />
      )}
      <Result event={last} />
    </section>
  );
}

/** All events of an execution so far, in order. */
function useEvents(id: string, onChange: () => void): readonly ExpenseEvent[] {
  const [events, setEvents] = useState<readonly ExpenseEvent[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    // A new connection may repeat events.
    const bySeq = new Map<number, ExpenseEvent>();
    const add = (event: ExpenseEvent): void => {
      if (event.seq === undefined) return;
      bySeq.set(event.seq, event);
      setEvents([...bySeq.values()]);
      if (event.type === 'workflow-result') onChange();
    };
    follow(id, add, leaving.signal);
    return () => leaving.abort();
  }, [id, onChange]);
  return events;
}

interface ShownStep extends Step {
  /** The id of the step around it. */
  readonly within?: string;
}

/** A condition is shown as the step inside it. */
function shownSteps({ steps, ...step }: Step): readonly ShownStep[] {
  return steps === undefined ? [step] : steps.map((inner) => ({ ...inner, within: step.id }));
}

type StepState = 'to do' | 'running' | 'done' | 'skipped' | 'failed';

function stateOf(events: readonly ExpenseEvent[], id: string, within?: string): StepState {
  const event = events.findLast(({ from, type }) => from === id && type.startsWith('step-'));
  if (event === undefined && within !== undefined && stateOf(events, within) === 'skipped') return 'skipped';
  switch (event?.type) {
    case 'step-start':
      return 'running';
    case 'step-complete':
      return event['status'] === 'skipped' ? 'skipped' : 'done';
    case 'step-error':
      return 'failed';
    default:
      return 'to do';
  }
}

interface ApprovalProps extends Pick<OpenExpenseProps, 'actor' | 'id' | 'onChange' | 'onSwitch'> {
  readonly employee: string | undefined;
  /** Why the execution waits. */
  readonly reason: string;
}

function Approval({ actor, employee, id, onChange, onSwitch, reason }: ApprovalProps): ReactNode {
  const [comment, setComment] = useState('');
  const [isSending, setIsSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const answer = async (approved: boolean): Promise<void> => {
    setIsSending(true);
    try {
      await decide(id, { approved, by: actor, ...(comment !== '' && { reason: comment }) });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setIsSending(false);
    }
    onChange();
  };

  return (
    <div className="approval">
      <p>
        <b>{reason}</b>
      </p>
      {actor === employee ? (
        <p>
          A second person must decide.{' '}
          <button type="button" onClick={onSwitch}>
            Continue as that person
          </button>
        </p>
      ) : (
        <div className="decision">
          <input
            aria-label="Reason"
            placeholder="Reason (optional)"
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
          <button type="button" className="primary" disabled={isSending} onClick={() => void answer(true)}>
            Approve
          </button>
          <button type="button" disabled={isSending} onClick={() => void answer(false)}>
            Deny
          </button>
        </div>
      )}
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <p className="hint">Stop the server and start it again: this claim still waits, at the same step.</p>
    </div>
  );
}

function Result({ event }: { readonly event: ExpenseEvent }): ReactNode {
  if (event.type !== 'workflow-result') return null;
  if (event['status'] === 'error') return <p className="problem">The execution failed. Its trace shows why.</p>;
  if (event['status'] !== 'completed') return null;
  const result = event['result'] as { status: string; payment?: string; by?: string; reason?: string };
  return (
    <p className="result" data-status={result.status}>
      {result.status === 'paid' ? `Paid: ${result.payment}` : `Denied by ${result.by}: ${result.reason}`}
    </p>
  );
}
