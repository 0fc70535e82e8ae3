import type { Channel } from '../define/define-channel.ts';
import { approvals } from './approvals.ts';
import { echo } from './echo.ts';
import { logs } from './logs.ts';
import { observability } from './observability.ts';

/** All WebSocket endpoints. */
export const channels: readonly Channel[] = [echo, approvals, observability, logs];
