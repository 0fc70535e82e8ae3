import { containsText, type LogFilter, type LogRecord, type Owner } from '@halyard/contracts';
import { severities } from '../../../runtime/logging/log-levels.ts';
import { toTime } from '../common-schemas.ts';
import type { LogQuery } from './schemas.ts';

const ids = ['agentId', 'workflowId', 'executionId', 'conversationId'] as const;

/** @param at names the filter in errors. @throws InvalidInputError for an invalid timestamp. */
export function toLogFilter(query: Partial<LogQuery>, at: string): LogFilter {
  const {
    agentId,
    conversationId,
    executionId,
    level,
    limit = 100,
    since,
    text,
    until,
    withoutClient,
    workflowId,
  } = query;
  return {
    agentId,
    workflowId,
    executionId,
    conversationId,
    minSeverity: level && severities[level],
    from: since === undefined ? undefined : toTime(`${at}/since`, since),
    to: until === undefined ? undefined : toTime(`${at}/until`, until),
    text,
    withoutClient,
    limit,
    offset: 0,
  };
}

/** Whether a record matches a filter and is visible to an owner. */
export function matchesFilter(record: LogRecord, filter: LogFilter, owner: Owner): boolean {
  const { attributes, severityNumber, timestamp } = record;
  const { from = -Infinity, minSeverity = 0, to = Infinity } = filter;
  if (severityNumber < minSeverity || timestamp < from || timestamp > to) return false;
  if (owner !== 'anyone' && attributes['userId'] !== owner.user) return false;
  if (ids.some((name) => filter[name] !== undefined && attributes[name] !== filter[name])) return false;
  if (filter.withoutClient !== undefined && attributes['client'] === filter.withoutClient) return false;
  return filter.text === undefined || containsText(record, filter.text);
}
