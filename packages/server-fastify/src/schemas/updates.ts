import { type Static, Type } from '@sinclair/typebox';

/** Newer versions of this framework's packages among the app's direct dependencies. */
export const UpdatesReport = Type.Object({
  hasUpdates: Type.Boolean(),
  updates: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Name of the npm package.' }),
      installed: Type.String(),
      latest: Type.String(),
      type: Type.Union([Type.Literal('major'), Type.Literal('minor'), Type.Literal('patch')]),
    }),
  ),
  count: Type.Integer(),
  message: Type.String({ description: 'In words; says so when the registry could not be reached.' }),
});
export type UpdatesReport = Static<typeof UpdatesReport>;

export const InstalledUpdates = Type.Object({
  updated: Type.Array(
    Type.Object({
      name: Type.String(),
      from: Type.Union([Type.String(), Type.Null()], { description: 'Null where it was not installed.' }),
      to: Type.String({ description: 'What is installed now.' }),
    }),
  ),
  restartRequired: Type.Boolean({ description: 'Whether something was updated: it is used from the next start on.' }),
});
export type InstalledUpdates = Static<typeof InstalledUpdates>;
