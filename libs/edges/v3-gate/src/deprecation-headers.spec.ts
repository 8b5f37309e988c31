import { describe, expect, it } from '@jest/globals';
import { deprecationHeaders } from './v3-gate.js';

describe('the headers of V3’s answers', () => {
  it('give the date of deprecation, the date of the sunset and where to read more', () => {
    expect(deprecationHeaders('2026-11-21', 'https://pay.example')).toEqual({
      Deprecation: '@1795219200',
      Sunset: 'Sun, 21 Nov 2027 00:00:00 GMT',
      Link:
        '<https://pay.example/docs/v3>; rel="deprecation"; type="text/html", ' +
        '<https://pay.example/docs/v3#timetable>; rel="sunset"; type="text/html"',
    });
  });

  it('name the last day of a shorter month', () => {
    expect(deprecationHeaders('2024-02-29', '').Sunset).toBe('Fri, 28 Feb 2025 00:00:00 GMT');
  });
});
