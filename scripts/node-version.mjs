/** The oldest Node that npm and the scripts run on. The service itself runs on the one that npm installs. */
const oldest = [20, 19];

/** Ends the process with one line if this Node is too old. */
export function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  console.error(
    `Node ${process.versions.node} is too old: install Node ${oldest.join('.')} or later (https://nodejs.org) and try again`,
  );
  process.exit(1);
}
