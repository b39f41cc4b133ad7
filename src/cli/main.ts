#!/usr/bin/env node
import { cachedRequire } from './code-cache';
import type * as Start from './command';

const [, , subcommand = ''] = process.argv;
const load = cachedRequire(__dirname, /^[a-z]+$/.test(subcommand) ? subcommand : 'headwater');
void (load('./command.js') as typeof Start).command();
