import { EXAMPLES } from '../../src/cli/examples';
import { program } from '../../src/cli/program';

describe('the help of subcommands', () => {
  const { commands } = program(() => undefined);

  it.each(commands.map((each) => [each.name(), each] as const))(
    '%s ends with an example that it takes',
    (name, command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      const example = EXAMPLES[name] ?? '';
      expect(help.trimEnd().split('\n').at(-1)?.trim()).toBe(example);
      const [called, subcommand, ...words] = example.split(' > ', 1)[0]?.match(/"[^"]*"|\S+/g) ?? [];
      expect([called, subcommand]).toEqual(['headwater', name]);
      // A command of commands has an example of one of them.
      const inner = command.commands.find((each) => each.name() === words[0]);
      const { registeredArguments } = inner ?? command;
      const { operands, unknown } = (inner ?? command).parseOptions(inner === undefined ? words : words.slice(1));
      expect(unknown).toEqual([]);
      expect(operands.length).toBeGreaterThanOrEqual(registeredArguments.filter(({ required }) => required).length);
      expect(operands.length).toBeLessThanOrEqual(registeredArguments.length);
    },
  );

  it('has an example for each, and for nothing else', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(commands.map((each) => each.name()).sort());
  });
});
