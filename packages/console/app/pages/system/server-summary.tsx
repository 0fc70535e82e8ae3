import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, apiUrl, clientHeader, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { Facts } from '../../ui/facts.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { Section } from '../../ui/page.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { Ago } from '../../ui/time.tsx';
import styles from './system.module.css';

type SystemReport = components['schemas']['SystemReport'];

export function ServerSummary({ report }: { readonly report: SystemReport }): ReactNode {
  const { executions, process, storage, warnings } = report;
  const readiness = useReadiness();
  const { data: recorded } = useQuery({
    queryKey: ['system', 'recorded'],
    queryFn: ({ signal }) => readData(api.GET('/observability/status', { signal })),
    refetchInterval: 15_000,
  });
  return (
    <>
      {warnings.length > 0 && (
        <Section title={process.environment === 'production' ? 'To change' : 'To change before production'}>
          <ul className={styles.warnings}>
            {warnings.map(({ message, option }) => (
              <li key={option}>
                <code>{option}</code>
                <span>{message}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Process">
        <Facts
          facts={{
            State: <StateMark state={process.isDraining ? 'waiting' : readiness === 'ready' ? 'ok' : 'error'} />,
            Readiness: readiness,
            Version: process.version === '0.0.0' ? 'from sources' : process.version,
            Node: process.node,
            Environment: process.environment,
            Started: <Ago time={process.startedAt} />,
            Memory: formatBytes(process.residentBytes),
            Heap: formatBytes(process.heapBytes),
          }}
        />
      </Section>
      <Section title="Executions of this process">
        <Facts
          facts={{
            Running: formatCount(executions.running),
            'Waiting for a slot': formatCount(executions.waiting),
          }}
        />
      </Section>
      <Section title="Storage">
        <Facts
          facts={{
            Executions: storage.isPersistent ? 'outlive the process' : 'in this process only',
            'Traces and logs': storage.telemetry ?? 'not recorded',
            Traces: recorded && formatCount(recorded.traceCount),
            Spans: recorded && formatCount(recorded.spanCount),
            'Log lines': recorded && formatCount(recorded.logCount),
            'On disk': storage.size === null ? undefined : formatBytes(storage.size.bytes),
            Connections:
              storage.pool === null
                ? undefined
                : `${storage.pool.total - storage.pool.idle} in use, ${storage.pool.idle} idle, ${storage.pool.max} at most`,
            'Calls that wait': storage.pool === null ? undefined : formatCount(storage.pool.waiting),
          }}
        />
      </Section>
      <p className={styles.links}>
        <a href={`${apiUrl}metrics`} target="_blank" rel="noreferrer">
          Metrics for Prometheus&nbsp;
          <Icon name="external" size={12} />
        </a>
      </p>
    </>
  );
}

/** `ready`, or the parts that are not. */
function useReadiness(): string {
  const { data = 'checking' } = useQuery({
    queryKey: ['system', 'readiness'],
    refetchInterval: 5_000,
    queryFn: async ({ signal }) => {
      const response = await fetch(`${apiUrl}readyz`, { headers: clientHeader, signal });
      const { status, unavailable = [] } = (await response.json()) as {
        readonly status: string;
        readonly unavailable?: readonly { readonly part: string; readonly problem: string }[];
      };
      return unavailable.length === 0
        ? status
        : unavailable.map(({ part, problem }) => `${part} is ${problem}`).join(', ');
    },
  });
  return data;
}
