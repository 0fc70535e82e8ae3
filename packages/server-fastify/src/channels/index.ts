import type { Channel } from '../define/define-channel.ts';
import { echo } from './echo.ts';
import { logs } from './logs.ts';
import { observability } from './observability.ts';

/** The WebSocket half of the table of contents. */
export const channels: readonly Channel[] = [echo, observability, logs];
