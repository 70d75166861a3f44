// The least that a program in Node can do: read, split, parse, write the lines of one type.
const [wanted] = process.argv.slice(2);
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  let chosen = '';
  for (const line of lines) if (JSON.parse(line).type === wanted) chosen += `${line}\n`;
  if (chosen) process.stdout.write(chosen);
});
