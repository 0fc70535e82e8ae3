import { type ReactNode, type SubmitEvent, StrictMode, useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { type Expense, listExpenses, listSteps, type Step, submitClaim } from './expense-api.ts';
import { OpenExpense } from './open-expense.tsx';

/** This page has no sign-in: anyone can act as anyone. */
const people = ['Ada', 'Grace'] as const;
const refreshMs = 3_000;

function Page(): ReactNode {
  const [actor, setActor] = useState<string>(people[0]);
  const [openId, setOpenId] = useState(() => new URLSearchParams(location.search).get('execution'));
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const { expenses, problem, refresh } = useExpenses();
  useEffect(() => {
    listSteps().then(setSteps, () => {});
  }, [problem]);

  const open = (id: string): void => {
    history.replaceState(null, '', `?execution=${id}`);
    setOpenId(id);
    refresh();
  };

  return (
    <>
      <header>
        <h1>
          <a href="/">
            <Logo /> Halyard
          </a>
        </h1>
        <nav>
          <a href="/chat">Chat</a>
          <a href="/expenses" aria-current="page">
            Expenses
          </a>
          <a href="/console/traces">Traces</a>
        </nav>
        <label>
          You are{' '}
          <select id="actor" value={actor} onChange={(event) => setActor(event.target.value)}>
            {people.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </header>
      {problem !== undefined && (
        <p className="banner" role="status">
          {problem}
        </p>
      )}
      <main>
        <NewExpense actor={actor} onStart={open} />
        {openId !== null && (
          <OpenExpense
            key={openId}
            actor={actor}
            expense={expenses.find(({ id }) => id === openId)}
            id={openId}
            steps={steps}
            onChange={refresh}
            onSwitch={() => setActor(people.find((name) => name !== actor) ?? actor)}
          />
        )}
        <Expenses expenses={expenses} openId={openId} onOpen={open} />
      </main>
    </>
  );
}

/** The newest claims, read again every few seconds, because other people change them too. */
function useExpenses(): { expenses: readonly Expense[]; problem: string | undefined; refresh: () => void } {
  const [expenses, setExpenses] = useState<readonly Expense[]>([]);
  const [problem, setProblem] = useState<string>();
  const refresh = useCallback(() => {
    listExpenses().then(
      (found) => {
        setExpenses(found);
        setProblem(undefined);
      },
      () => setProblem('The server is not reachable. Nothing is lost: this page continues when the server is back.'),
    );
  }, []);
  useEffect(() => {
    refresh();
    const timer = setInterval(refresh, refreshMs);
    return () => clearInterval(timer);
  }, [refresh]);
  return { expenses, problem, refresh };
}

function NewExpense({ actor, onStart }: { readonly actor: string; readonly onStart: (id: string) => void }): ReactNode {
  const [problem, setProblem] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const onSubmit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setIsSending(true);
    setProblem(undefined);
    try {
      const purpose = fields.get('purpose') as string;
      onStart(await submitClaim({ employee: actor, purpose, euros: Number(fields.get('euros')) }));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setIsSending(false);
    }
  };

  return (
    <section className="card" id="new">
      <h2>New expense of {actor}</h2>
      <form onSubmit={(event) => void onSubmit(event)}>
        <label>
          What for
          <input name="purpose" required maxLength={200} defaultValue="Train to Oslo" autoComplete="off" />
        </label>
        <label>
          Euros
          <input name="euros" type="number" required min="0.01" max="100000" step="0.01" defaultValue="240" />
        </label>
        <button className="primary" type="submit" disabled={isSending}>
          {isSending ? 'Sending …' : 'Claim'}
        </button>
      </form>
      <p className="hint">A claim of € 100 or more waits until another person approves it.</p>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

function Expenses({
  expenses,
  onOpen,
  openId,
}: {
  readonly expenses: readonly Expense[];
  readonly openId: string | null;
  readonly onOpen: (id: string) => void;
}): ReactNode {
  return (
    <section id="all">
      <h2>All expenses</h2>
      {expenses.length === 0 && <p className="hint">None yet.</p>}
      <ul>
        {expenses.map((expense) => (
          <li key={expense.id}>
            <button type="button" aria-pressed={expense.id === openId} onClick={() => onOpen(expense.id)}>
              <span>
                {expense.input.purpose}
                <small>{expense.input.employee}</small>
              </span>
              <b>€ {expense.input.euros.toFixed(2)}</b>
              <em data-status={statusOf(expense)}>{statusOf(expense)}</em>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function statusOf({ output, status }: Expense): string {
  if (status === 'suspended') return 'waiting';
  return status === 'completed' ? (output?.status ?? 'paid') : status;
}

function Logo(): ReactNode {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <path d="M15 3v20H5zM17 8l9 15h-9zM3 25h26l-4 4H7z" />
    </svg>
  );
}

const root = document.querySelector('#expenses');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
}
