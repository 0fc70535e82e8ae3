import type { ReactNode } from 'react';
import { useApprovalCount } from '../pages/approvals/use-approvals.ts';
import { useTabCount } from '../ui/tab-title.ts';
import styles from './navigation-badge.module.css';

/** How many requests wait for a person. */
export function NavigationBadge(): ReactNode {
  const count = useApprovalCount();
  useTabCount(count);
  if (count === 0) return null;
  return (
    <b className={styles.badge} aria-label={`${count} waiting`}>
      {count > 99 ? '99+' : count}
    </b>
  );
}
