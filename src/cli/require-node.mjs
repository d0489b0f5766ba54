// Plain JavaScript that Node.js 12 parses. An older release would end with a SyntaxError while it loads the program.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `error: state-service requires Node.js 20.19 or later; this is Node.js ${process.versions.node}. Install a newer release: https://nodejs.org`,
  );
  process.exit(1);
}
