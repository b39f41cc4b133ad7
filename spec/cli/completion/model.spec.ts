import { Argument, Command, Option } from 'commander';
import { completedCommands } from '../../../src/cli/completion/model';

describe('completedCommands', () => {
  it('reads subcommands, options, choices and files from the command line', () => {
    const command = new Command('tool').helpCommand(false);
    command
      .command('go')
      .alias('run')
      .description('goes')
      .argument('<file>')
      .option('-f, --far', 'far')
      .addOption(new Option('--how <how>', 'how').choices(['a', 'b']))
      .option('--out <folder>', 'out')
      .option('--name [name]', 'name');
    command.command('to').addArgument(new Argument('<place>').choices(['here', 'there']));
    command.command('named').argument('<name>');
    const [go, to, named] = completedCommands(command, { named: { words: ['x'], isFile: false } });
    expect(go).toEqual({
      names: ['go', 'run'],
      about: 'goes',
      values: { words: [], isFile: true },
      options: [
        { names: ['-f', '--far'], about: 'far' },
        { names: ['--how'], about: 'how', values: { words: ['a', 'b'], isFile: false } },
        { names: ['--out'], about: 'out', values: { words: [], isFile: true } },
        { names: ['--name'], about: 'name', values: { words: [], isFile: false } },
        { names: ['-h', '--help'], about: 'display help for command' },
      ],
    });
    expect(to?.values).toEqual({ words: ['here', 'there'], isFile: false });
    expect(named?.values).toEqual({ words: ['x'], isFile: false });
  });
});
