export type { components, operations, paths } from '@halyard/client';
