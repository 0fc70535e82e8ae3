import type { Migration } from './migration.ts';
import { newKeys } from './new-keys.ts';

/** A rewind by a user replaces the snapshot of the user, also of sub-workflows. The function differs from that of `new-keys.ts` only in this. */
export const rewindsByUsers: Migration = {
  number: 33,
  name: 'rewinds-by-users',
  sql: (schema) =>
    newKeys.sql(schema).replace(
      '  for changed in',
      () => `  if rewind->>'user' is not null then
    update ${schema}.executions e set user_snapshot = rewind->>'user' where e.key = root_key_ or e.root_key = root_key_;
  end if;
  for changed in`,
    ),
};
