import {
  type ApprovalStore,
  approverKeys,
  type Clock,
  type Ids,
  type JsonObject,
  type OpenApproval,
  type Owner,
  type StoredApprovalRules,
  type User,
} from '@halyard/contracts';
import { toJson } from '../../json/to-json.ts';
import type { AnswerableRequest } from './approval-rules.ts';
import type { Approvals, Responder } from './approvals.ts';

/** The calls that a grant is for: those of one tool of one agent, for one user. */
export interface GrantedCalls {
  readonly agentId: string;
  readonly toolName: string;
  /** The user of the runs. */
  readonly userId: string | undefined;
  /** Undefined: in all conversations of the user. */
  readonly conversationId: string | undefined;
}

/** The approval of later calls, by a person who has approved one of them. */
export interface ApprovalGrant extends GrantedCalls {
  readonly id: string;
  /** A snapshot of the verified user of the run. */
  readonly user: User | undefined;
  /** The person; undefined for an operator without a name. */
  readonly grantedBy: string | undefined;
  /** The same person, as of the time of the grant. */
  readonly granter: Responder;
  /** Milliseconds since the epoch, as below. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * Grants, in the store of approvals: so they are valid in all processes, and deleted with the data of
 * the user.
 */
export interface ApprovalGrants {
  add(grant: Omit<ApprovalGrant, 'createdAt' | 'id'>): Promise<ApprovalGrant>;
  /** A grant whose person may still approve this call, by the rules of the call and `mayAnswer`. */
  findFor(
    calls: GrantedCalls,
    question: {
      readonly rules: StoredApprovalRules | undefined;
      readonly request: AnswerableRequest;
      /** The verified user of the run. */
      readonly user: User | undefined;
    },
  ): Promise<ApprovalGrant | undefined>;
  find(id: string): Promise<ApprovalGrant | undefined>;
  /** The newest grants that are for a user or were given by a user, or of anyone. */
  list(owner: Owner, limit: number, offset?: number): Promise<readonly ApprovalGrant[]>;
  /** @returns whether it was there: of concurrent calls, one gets `true`. */
  revoke(grant: Pick<ApprovalGrant, 'expiresAt' | 'id'>): Promise<boolean>;
}

/** Begins the ids of grants, so that none is a request. */
const isGrant = 'grant-';

export function createGrants(
  { clock, ids, store }: { readonly clock: Clock; readonly ids: Ids; readonly store: ApprovalStore },
  mayAnswer: Approvals['mayAnswer'],
): ApprovalGrants {
  const listOpen = async (keys: readonly string[], limit: number, offset = 0): Promise<readonly ApprovalGrant[]> =>
    (await store.listOpen(keysOf(keys), limit, offset)).flatMap((open) => readGrant(open) ?? []);

  return {
    async add(given) {
      const { agentId, conversationId = '', expiresAt, grantedBy, granter, toolName, user, userId } = given;
      const grant = { ...given, id: `${isGrant}${ids.next()}`, createdAt: clock.now() };
      const approvers = [
        anyonesKey,
        callsKey(given),
        ...[userId, grantedBy].flatMap((id) => (id === undefined ? [] : [userKey(id)])),
      ];
      await store.open({
        id: grant.id,
        agentId,
        conversationId,
        userId,
        user: user && (toJson(user) as JsonObject),
        rules: { approvers, tenantId: nobodysTenant },
        grant: toJson({ toolName, grantedBy, granter }) as JsonObject,
        createdAt: grant.createdAt,
        expiresAt,
      });
      return grant;
    },

    async findFor(calls, { request, rules, user }) {
      const everywhere = { ...calls, conversationId: undefined };
      const found = await listOpen([calls, everywhere].map(callsKey), maxFound);
      for (const grant of found) {
        const { grantedBy, granter } = grant;
        const isOwn = grantedBy !== undefined && grantedBy === calls.userId;
        // Without rules, the user of the run approves.
        if (rules === undefined && !isOwn && !granter.isOperator) continue;
        // The newest claims of that user count, who may be no operator any more.
        const responder = isOwn && user !== undefined ? { user, isOperator: false } : granter;
        if (await mayAnswer(rules, request, responder)) return grant;
      }
      return undefined;
    },

    async find(id) {
      const open = id.startsWith(isGrant) ? await store.find(id) : undefined;
      return open && readGrant(open);
    },

    list: (owner, limit, offset) => listOpen([owner === 'anyone' ? anyonesKey : userKey(owner.user)], limit, offset),

    revoke: ({ expiresAt, id }) => store.consume(id, expiresAt),
  };
}

/** So many people may have approved the same calls. */
const maxFound = 100;
/** No user has an empty tenant, so that nobody finds grants among the requests. */
const nobodysTenant = '';
const anyonesKey = 'all';

function userKey(id: string): string {
  return `user ${id}`;
}

function callsKey({ agentId, conversationId, toolName, userId }: GrantedCalls): string {
  return `calls ${JSON.stringify([userId ?? null, agentId, toolName, conversationId ?? null])}`;
}

function keysOf(approvers: readonly string[]): readonly string[] {
  return approverKeys({ approvers, tenantId: nobodysTenant });
}

function readGrant({ grant, ...open }: OpenApproval): ApprovalGrant | undefined {
  if (grant === undefined) return undefined;
  // Only `add` writes it.
  const { grantedBy, granter, toolName } = grant as JsonObject &
    Pick<ApprovalGrant, 'granter' | 'toolName'> & {
      readonly grantedBy?: string;
    };
  const { agentId, conversationId, createdAt, expiresAt, id, user, userId } = open;
  return {
    id,
    agentId,
    toolName,
    userId,
    conversationId: conversationId === '' ? undefined : conversationId,
    user,
    grantedBy,
    granter,
    createdAt,
    expiresAt,
  };
}
