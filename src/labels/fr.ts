import type { Labels } from '../labels.ts';

/** French. A no-break space (U+00A0) stands before `:` `;` `!` `?` and inside « ». */
export const fr: Labels = {
  findings: {
    'not-json': 'pas du JSON : {text}',
    'not-an-event.json': 'JSON mal formé : {text}',
    'not-an-event.object': 'du JSON, mais pas un objet : {text}',
    'not-an-event.v': 'pas un événement : `v` manque ou n’est pas un nombre : {text}',
    'not-an-event.type': 'pas un événement : `type` manque ou n’est pas une chaîne : {text}',
    'line-too-long': 'une ligne de {bytes} octets, au-delà de la limite de {limit} ; --max-line la relève',
    'invalid-utf8': 'des octets qui ne sont pas de l’UTF-8, remplacés par U+FFFD : {text}',
    'utf-16': 'du texte en UTF-16 ; seul l’UTF-8 est lu, convertissez-le d’abord (iconv -f UTF-16 -t UTF-8)',
    'truncated-line': 'l’entrée s’arrête au milieu d’un événement : {text}',
    'unsupported-version': 'version {version} du flux ; ce palabre-fmt lit la version 1',
  },
};
