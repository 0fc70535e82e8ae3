import type { ApprovalDecision, OpenApproval } from '@halyard/contracts';

export interface DecidedApproval {
  readonly decisions: readonly ApprovalDecision[];
  readonly expiresAt: number;
  /** The user whose request it is. */
  readonly userId: string | undefined;
}

/** Replace this with the connection to your database. */
export interface Database {
  /** The time at which each used approval expires, by its id. */
  readonly approvals: Map<string, number>;
  readonly openApprovals: Map<string, OpenApproval>;
  readonly decisions: Map<string, DecidedApproval>;
  /** Throws if the database cannot be reached. */
  check(): void;
  close(): void;
}

export function openDatabase(): Database {
  let isOpen = true;
  return {
    approvals: new Map(),
    openApprovals: new Map(),
    decisions: new Map(),
    check() {
      if (!isOpen) throw new Error('The database is closed.');
    },
    close() {
      isOpen = false;
    },
  };
}
