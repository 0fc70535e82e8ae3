import { userRoles, userTenant } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { type Caller, subjectForCaller } from '../../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';

const idsOf = (description: string) => Type.Union([Type.Array(Type.String()), Type.Null()], { description });

const Identity = Type.Object(
  {
    userId: Type.Union([Type.String(), Type.Null()], { description: 'Null without a token.' }),
    roles: Type.Array(Type.String(), { description: 'The claim `roles` of the token.' }),
    tenantId: Type.Union([Type.String(), Type.Null()]),
    console: Type.Array(
      Type.Object({
        level: Type.Unsafe<'viewer' | 'operator' | 'owner'>({ type: 'string', enum: ['viewer', 'operator', 'owner'] }),
        agents: idsOf('Only these; null: all.'),
        workflows: idsOf('Only these; null: all.'),
        tenantId: Type.Union([Type.String(), Type.Null()], {
          description: 'Only what users of this tenant have started; null: of all.',
        }),
      }),
      { description: 'What the caller may do in the console, one entry for each of its roles that opens it.' },
    ),
  },
  { $id: 'Identity' },
);
type Identity = Static<typeof Identity>;

export const identityRoutes = [
  defineRoute({
    method: 'GET',
    url: '/api/identity',
    tier: 'user-or-operator',
    isScoped: true,
    operationId: 'getIdentity',
    tag: 'Catalog',
    summary: 'Get who you are, and what you may do in the console',
    data: Identity,
    handler: ({ caller }) => {
      const { user } = caller;
      return {
        userId: subjectForCaller(caller) ?? null,
        roles: user === undefined ? [] : [...userRoles(user)],
        tenantId: (user && userTenant(user)) ?? null,
        console: describeConsole(caller),
      };
    },
  }),
];

function describeConsole({ grants = [], isOperator = false }: Caller): Identity['console'] {
  if (isOperator) return [{ level: 'owner', agents: null, workflows: null, tenantId: null }];
  return grants.map(({ agents, level, tenantId = null, workflows }) => ({
    level,
    agents: agents === undefined ? null : [...agents],
    workflows: workflows === undefined ? null : [...workflows],
    tenantId,
  }));
}
