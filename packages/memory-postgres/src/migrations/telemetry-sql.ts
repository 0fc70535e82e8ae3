/** The day of a time, as a number from the epoch; of times that no calendar has, the last. */
export function dayOf(time: string): string {
  return `floor(greatest(least(${time}, 8.64e15), -8.64e15) / 86400000)::integer`;
}

/** What the spans \`of\` a trace say of it: the aggregates \`root\`, \`latest\` and \`user_ids\`. */
export function summaries(schema: string, of: string): string {
  const summary = `row(${of}.span_id, ${of}.time, ${of}.position, ${of}.is_entry, ${of}.status, ${of}.entity_type, ${of}.entity_id)::${schema}.span_summary`;
  return `(array_agg(${summary} order by ${of}.is_entry desc, ${of}.time, ${of}.position))[1] as root,
      (array_agg(${summary} order by ${of}.time desc, ${of}.position desc) filter (where ${of}.is_entry))[1] as latest,
      coalesce(array_agg(distinct ${of}.user_id) filter (where ${of}.is_entry and ${of}.user_id is not null), '{}') as user_ids`;
}
