import type { ReactNode } from 'react';
import { useChannelState, useLiveMessages } from '../live/live.ts';
import { classes } from '../ui/classes.ts';
import styles from './connection.module.css';

const texts = { connecting: 'Connecting …', open: 'Live', lost: 'Connection lost, trying again …' };

const ignore = (): void => {};

/** Whether the console receives what happens on the server. */
export function Connection(): ReactNode {
  // Pages that show nothing live have to say too that the server is lost.
  useLiveMessages(ignore);
  const state = useChannelState();
  return (
    <p role="status" className={classes(styles.connection, styles[state])}>
      <span aria-hidden="true" />
      {texts[state]}
    </p>
  );
}
