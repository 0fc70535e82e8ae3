export const consoleKey = 'the console key of the soak';
export const consoleKeyHeader = { 'x-console-access-key': consoleKey };
