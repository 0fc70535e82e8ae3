import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { FilterSelect } from '../../ui/filters.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf } from '../../ui/search-params.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import styles from './webhooks.module.css';

type Delivery = components['schemas']['WebhookDelivery'];
type Endpoint = components['schemas']['WebhookEndpoint'];

const route = getRouteApi('/webhooks');
const statuses = ['pending', 'delivered', 'failed'] as const;
const marks = { pending: 'waiting', delivered: 'ok', failed: 'error' } as const;
const listKey = ['webhooks'] as const;

/** What was sent to webhooks, newest first. */
export function WebhooksPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { status, url } = search;
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery({
    queryKey: [...listKey, search],
    queryFn: ({ pageParam, signal }) => {
      const query = { status: oneOf(statuses, status), url, before: pageParam ?? undefined, limit: 50 };
      return readData(api.GET('/webhooks/deliveries', { params: { query }, signal }));
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (previous) => previous,
    refetchInterval: 5_000,
  });
  const endpoints = data?.pages[0]?.endpoints ?? [];
  const deliveries = data?.pages.flatMap((page) => page.deliveries) ?? [];
  const change = (changed: Partial<typeof search>): void => {
    void navigate({ search: { ...search, ...changed }, replace: true });
  };
  const isUnused = data !== undefined && endpoints.length === 0 && deliveries.length === 0;
  return (
    <Page
      title="Webhooks"
      bar={
        isUnused && status === undefined && url === undefined ? undefined : (
          <>
            <FilterSelect
              label="Status"
              value={status}
              options={statuses}
              onChange={(next) => change({ status: next })}
            />
            <FilterSelect
              label="Endpoint"
              value={url}
              options={endpoints.map((one) => one.url)}
              onChange={(next) => change({ url: next })}
            />
          </>
        )
      }
    >
      {error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="the webhooks" />
      ) : isUnused ? (
        <EmptyState title="No webhook is set">
          Add an endpoint to the option <code>webhooks</code> of <code>createServer</code>. It gets requests that wait
          for people, and the ends of executions and replies.
        </EmptyState>
      ) : (
        <>
          <DisabledEndpoints endpoints={endpoints} />
          {deliveries.length === 0 ? (
            <EmptyState
              title={status === undefined && url === undefined ? 'Nothing has happened yet' : 'No delivery matches'}
            >
              Events appear here when they happen, before they are sent.
            </EmptyState>
          ) : (
            <ul className={styles.deliveries} aria-label="Deliveries">
              {deliveries.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} />
              ))}
            </ul>
          )}
          {hasNextPage && (
            <p className={styles.more}>
              <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show older ones
              </Button>
            </p>
          )}
        </>
      )}
    </Page>
  );
}

function DisabledEndpoints({ endpoints }: { readonly endpoints: readonly Endpoint[] }): ReactNode {
  return endpoints
    .filter(({ disabledAt }) => disabledAt !== null)
    .map(({ url }) => (
      <p key={url} className={styles.note} role="status">
        <b>{url}</b> has replied that it is gone (410), and gets no events. Redelivering an event enables it.
      </p>
    ));
}

function DeliveryRow({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const { at, attempts, dueAt, error, id, status, type, url } = delivery;
  const client = useQueryClient();
  const redeliver = useMutation({
    mutationFn: () =>
      readData(api.POST('/webhooks/deliveries/{deliveryId}/redeliver', { params: { path: { deliveryId: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: listKey }),
  });
  return (
    <li className={styles.delivery}>
      <StateMark state={marks[status]} word={status} />
      <div className={styles.event}>
        <b>{type}</b> <Subject data={delivery.data} />
        <p>
          <span>{url}</span>
          <span>
            <Ago time={at} />
          </span>
          {attempts > 1 && <span>{attempts} attempts</span>}
          {error !== null && <span className={styles.error}>{error}</span>}
          {dueAt !== null && attempts > 0 && (
            <span>
              next <Ago time={dueAt} />
            </span>
          )}
          {redeliver.error !== null && (
            <span role="alert" className={styles.error}>
              {redeliver.error.message}
            </span>
          )}
        </p>
      </div>
      <div className={styles.action}>
        <Button
          icon="retry"
          isBusy={redeliver.isPending}
          aria-label={`Redeliver ${type} ${id}`}
          onClick={() => redeliver.mutate()}
        >
          Redeliver
        </Button>
      </div>
    </li>
  );
}

/** The execution or the conversation that an event is about. */
function Subject({ data: { agentId, conversationId, executionId, workflowId } }: Pick<Delivery, 'data'>): ReactNode {
  if (executionId !== undefined && workflowId !== undefined)
    return (
      <Link to="/executions/$workflowId/$executionId" params={{ workflowId, executionId }}>
        {executionId}
      </Link>
    );
  if (conversationId !== undefined)
    return (
      <Link to="/conversations/$conversationId" params={{ conversationId }} search={{ agentId }}>
        {conversationId}
      </Link>
    );
  return null;
}
