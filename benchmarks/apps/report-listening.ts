/**
 * Tells the harness the port and answers its questions about CPU time over the IPC channel: `process.cpuUsage()` counts every
 * thread in microseconds, where /proc counts ticks of 10 ms.
 */
export function reportListening(port: number): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system });
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ port });
}
