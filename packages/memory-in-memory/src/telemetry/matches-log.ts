import { containsText, type LogFilter, type LogRecord, type Owner, searchedLogs } from '@halyard/contracts';

/**
 * A predicate for the logs of an owner that match a filter. It is asked for each log once, newest
 * first: a search for a text counts the logs that it reads.
 */
export function matchesLog(
  owner: Owner,
  {
    from = -Infinity,
    minSeverity = -Infinity,
    severityText,
    to = Infinity,
    ...filter
  }: Omit<LogFilter, 'limit' | 'offset'>,
): (log: LogRecord) => boolean {
  const severity = severityText?.toUpperCase();
  const attributes = requiredAttributes(owner, filter);
  let searched = 0;
  return (log) => {
    if (filter.traceId !== undefined && log.traceId !== filter.traceId) return false;
    if (filter.spanId !== undefined && log.spanId !== filter.spanId) return false;
    if (filter.severityNumber !== undefined && log.severityNumber !== filter.severityNumber) return false;
    if (log.severityNumber < minSeverity || log.timestamp < from || log.timestamp > to) return false;
    if (severity !== undefined && log.severityText.toUpperCase() !== severity) return false;
    if (attributes.some(([name, value]) => log.attributes[name] !== value)) return false;
    if (filter.text === undefined && filter.withoutClient === undefined) return true;
    searched += 1;
    if (searched > searchedLogs) return false;
    if (filter.withoutClient !== undefined && log.attributes['client'] === filter.withoutClient) return false;
    return filter.text === undefined || containsText(log, filter.text);
  };
}

function requiredAttributes(
  owner: Owner,
  { agentId, workflowId, executionId, conversationId }: Omit<LogFilter, 'limit' | 'offset'>,
): readonly (readonly [name: string, value: string | undefined])[] {
  const userId = owner === 'anyone' ? undefined : owner.user;
  const required = Object.entries({ agentId, workflowId, executionId, conversationId, userId });
  return required.filter(([, value]) => value !== undefined);
}
