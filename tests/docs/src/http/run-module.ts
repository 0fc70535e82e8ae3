// The process of the TypeScript samples: imports each module that the test names, and reports how
// it ended.
process.on('message', (file: string) => {
  import(file).then(
    () => process.send?.({ fault: undefined }),
    (error: unknown) => process.send?.({ fault: String(error) }),
  );
});
