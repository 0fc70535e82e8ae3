import type { StopCondition, ToolSet } from 'ai';

/**
 * A condition that is written for the AI SDK, such as `isStepCount(3)` and `hasToolCall('pay')`.
 */
export type SdkStopCondition = StopCondition<ToolSet>;
