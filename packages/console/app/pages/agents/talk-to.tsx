import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LinkButton } from '../../ui/link-button.tsx';
import { agentsQuery } from './agents-query.ts';
import styles from './agents.module.css';

const shown = 3;

/** Opens the playground with one of the agents: the shortest way to a first run. */
export function TalkTo(): ReactNode {
  const { data: agents = [] } = useQuery(agentsQuery);
  return (
    <div className={styles.talk}>
      {agents.slice(0, shown).map(({ id, name }, index) => (
        <LinkButton
          key={id}
          to="/playground"
          search={{ agentId: id }}
          icon="play"
          {...(index === 0 && { look: 'main' as const })}
        >
          Talk to {name}
        </LinkButton>
      ))}
    </div>
  );
}
