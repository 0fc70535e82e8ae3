import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { newTrace } from '../../api/run-client.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { RequestCode } from '../../ui/request-code.tsx';
import { agentsQuery } from '../agents/agents-query.ts';
import { type FoundCall, useRecordedCall } from '../playground/use-recorded-call.ts';
import { TrialComparison } from './trial-comparison.tsx';
import { type TrialDraft, toDraft, toReply, toRequest } from './trial-draft.ts';
import { TrialEditor } from './trial-editor.tsx';
import styles from './trial.module.css';

const route = getRouteApi('/try');

/** A recorded call of a model, to change and to run again beside the recorded one. */
export function TrialPage(): ReactNode {
  const { span } = route.useSearch();
  const { call, error } = useRecordedCall(span);
  if (span === undefined || error !== null || call === undefined) {
    return (
      <Page title="Edit and run again">
        {span === undefined ? (
          <EmptyState title="No call is chosen">
            Open a call of a model in a <Link to="/traces">trace</Link>, and choose “Edit and run again”.
          </EmptyState>
        ) : error === null ? (
          <Loading what="the call" />
        ) : (
          <ErrorState error={error} back={<Link to="/traces">All traces</Link>} />
        )}
      </Page>
    );
  }
  return <Trial key={span} call={call} />;
}

function Trial({ call }: { readonly call: FoundCall }): ReactNode {
  const { agentId, loss, span, traceId } = call;
  const { data: agents = [] } = useQuery(agentsQuery);
  const [recorded] = useState(() => toDraft(span));
  const [draft, setDraft] = useState<TrialDraft>(recorded);
  const [version, setVersion] = useState(0);
  const reset = (): void => {
    setDraft(recorded);
    setVersion(version + 1);
  };
  const [chosen, setChosen] = useState(agentId);
  const agent = agents.find(({ id }) => id === chosen);
  const request = toRequest(draft, recorded.model);
  const comparison = useRef<HTMLDivElement>(null);
  const run = useMutation({
    mutationFn: async (body: Extract<typeof request, { readonly body: unknown }>['body']) => {
      const { traceId: own, traceparent } = newTrace();
      const path = { id: chosen ?? '' };
      const reply = api.POST('/agents/{id}/try', { params: { path }, headers: { traceparent }, body });
      return { result: await readData(reply), traceId: own };
    },
    // The reply, or why there is none, is above what was edited.
    onSettled: () => comparison.current?.closest('main')?.scrollTo({ top: 0 }),
  });
  const models = [...new Set(agents.map(({ model }) => model).filter((model) => model !== 'dynamic'))];
  return (
    <Page
      title="Edit and run again"
      about={
        <>
          a call of {agent?.name ?? agentId ?? 'a model'} (
          <Link to="/traces/$traceId" params={{ traceId }} search={{ span: span.spanId }}>
            trace
          </Link>
          )
        </>
      }
      actions={
        <>
          <Button disabled={draft === recorded} onClick={reset}>
            Undo all changes
          </Button>
          <Button
            look="main"
            icon="play"
            isBusy={run.isPending}
            disabled={agent === undefined || 'problem' in request}
            onClick={() => 'body' in request && run.mutate(request.body)}
          >
            Run
          </Button>
        </>
      }
    >
      {loss !== undefined && <p className={styles.note}>{loss}</p>}
      {'problem' in request && (
        <p className={styles.problem} role="status">
          {request.problem}
        </p>
      )}
      {run.error !== null && <ErrorState error={run.error} />}
      <TrialComparison
        ref={comparison}
        recorded={toReply(span)}
        trial={run.data?.result}
        traceId={run.data?.traceId}
        isRunning={run.isPending}
      />
      <TrialEditor
        key={version}
        draft={draft}
        onChange={setDraft}
        agents={agents}
        agentId={chosen}
        onAgent={setChosen}
        models={models}
      />
      {'body' in request && (
        <div className={styles.code}>
          <RequestCode path={`agents/${chosen ?? 'agent'}/try`} body={request.body} isOperators />
        </div>
      )}
    </Page>
  );
}
