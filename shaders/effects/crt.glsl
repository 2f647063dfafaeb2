uniform float curvature;
uniform float lines;
uniform float line_gain;    // how much brighter and darker than the mean lines are
uniform float line_height;  // how many lines there are in a pixel of what is drawn to, in the middle of the picture
uniform vec2 stripe_gain;   // what a stripe lets through of the other colours, and of its own

vec4 effect(vec2 place) {
    vec2 out_ = place * 2.0 - 1.0;
    vec2 bend = 1.0 + curvature * 0.25 * out_.yx * out_.yx;
    out_ *= bend;
    vec2 bent = out_ * 0.5 + 0.5;
    // A line is darkest at its edges, nearly as a cosine: of one, few samples show no waves that are not there. Lines of
    // less than three pixels fade, and of two they are gone, as they could not be told from waves.
    float far = abs(fract(bent.y * lines) * 2.0 - 1.0);
    float dark = 0.5 - far * far * (3.0 - 2.0 * far);
    float seen = line_gain * clamp(3.0 - 6.0 * line_height * bend.y, 0.0, 1.0);
    float inside = max(abs(out_.x), abs(out_.y)) <= 1.0 ? 1.0 : 0.0;
    // Stripes of red, green and blue, three of the target's pixels wide.
    float column = fract(gl_FragCoord.x / 3.0);
    vec3 stripe = mix(stripe_gain.xxx, stripe_gain.yyy, vec3(abs(column - 0.5) < 0.17, column < 0.33, column > 0.67));
    return vec4(picture(bent).rgb * stripe * (inside + inside * seen * dark), 1.0);
}
