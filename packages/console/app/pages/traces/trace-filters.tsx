import type { ReactNode } from 'react';
import { FilterSelect, FilterText } from '../../ui/filters.tsx';
import { Menu } from '../../ui/menu.tsx';
import { oneOf } from '../../ui/search-params.ts';
import { partFilters } from './trace-search.ts';

type PartFilterValues = Partial<Record<(typeof partFilters)[number], string>>;

const names: Readonly<Record<(typeof partFilters)[number], string>> = {
  agentId: 'Agent',
  toolName: 'Tool',
  model: 'Model',
  minSeconds: 'Seconds, at least',
  minTokens: 'Tokens, at least',
  minCost: 'Dollars, at least',
};

interface PartFilterProps {
  readonly filters: PartFilterValues;
  readonly onChange: (changed: PartFilterValues) => void;
}

export function PartFilterMenu(props: PartFilterProps): ReactNode {
  return (
    <Menu label="More filters" isMarked={partFilters.some((name) => props.filters[name] !== undefined)}>
      <PartFilters {...props} />
    </Menu>
  );
}

export function PartFilters({ filters, onChange }: PartFilterProps): ReactNode {
  return partFilters.map((name) => (
    <FilterText
      key={name}
      label={names[name]}
      value={filters[name]}
      problem={name.startsWith('min') && toAmount(filters[name]) === undefined ? amountForm(filters[name]) : undefined}
      onChange={(next) => onChange({ [name]: next })}
    />
  ));
}

function amountForm(text: string | undefined): string | undefined {
  return text === undefined ? undefined : 'A number, such as 2.5';
}

const orders = [
  { value: 'duration', name: 'longest' },
  { value: 'tokens', name: 'most tokens' },
  { value: 'cost', name: 'highest cost' },
] as const;

export function TraceOrder({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  return <FilterSelect label="Order" value={toOrder(value)} options={orders} all="newest" onChange={onChange} />;
}

function toOrder(value: string | undefined) {
  return oneOf(
    orders.map((order) => order.value),
    value,
  );
}

const ratings = [
  { value: 'up', name: '👍' },
  { value: 'down', name: '👎' },
] as const;

export function FeedbackFilter({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  return <FilterSelect label="Feedback" value={toRating(value)} options={ratings} onChange={onChange} />;
}

function toRating(value: string | undefined) {
  return oneOf(
    ratings.map((rating) => rating.value),
    value,
  );
}

/** The filters as the API names them. Texts that are no numbers are left out. */
export function toTraceQuery({
  agentId,
  feedback,
  minCost,
  minSeconds,
  minTokens,
  model,
  sort,
  toolName,
}: PartFilterValues & { feedback?: string; sort?: string }) {
  const seconds = toAmount(minSeconds);
  const tokens = toAmount(minTokens);
  return {
    agentId,
    toolName,
    model,
    minDurationMs: seconds === undefined ? undefined : seconds * 1_000,
    minTokens: tokens === undefined ? undefined : Math.ceil(tokens),
    minCost: toAmount(minCost),
    feedback: toRating(feedback),
    sort: toOrder(sort),
  };
}

function toAmount(text: string | undefined): number | undefined {
  const amount = Number(text ?? Number.NaN);
  return Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}
