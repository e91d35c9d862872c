// Whatever happens while a person answers: nothing that was typed is lost, and undo
// shows what was sent. A few random schedules each; SAYSO_SCHEDULES says how many, and
// make figures ONLY=V6WEB,UNDOWEB plays 200.
import { test } from 'node:test';
import { schedules } from './schedule.mjs';
import { loses, undoes } from './plays.mjs';

const n = Number(process.env.SAYSO_SCHEDULES ?? 10);
test('nothing that was typed is lost', () => schedules('V6WEB', 'lost', n, loses));
test('undo shows what was sent', () => schedules('UNDOWEB', 'wrong', n, undoes));
