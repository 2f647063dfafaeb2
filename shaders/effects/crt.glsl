uniform float curvature;
uniform float lines;
uniform float line_gain;   // how much brighter and darker than the mean lines are
uniform float line_fade;   // six times how many lines there are in a pixel, in the middle of the picture
uniform vec2 stripe_gain;  // what a stripe lets through of other colours, and how much more of its own

vec4 effect(vec2 place) {
    vec2 out_ = place * 2.0 - 1.0;
    vec2 bend = 1.0 + curvature * 0.25 * out_.yx * out_.yx;
    out_ *= bend;
    vec2 bent = out_ * 0.5 + 0.5;
    // A line is darkest at its edges, nearly as a cosine: of one, few samples show no waves that are not there. Lines of
    // less than three pixels fade, and of two they are gone, as they could not be told from waves.
    float far = abs(fract(bent.y * lines) * 2.0 - 1.0);
    float dark = 0.5 - far * far * (3.0 - 2.0 * far);
    float seen = line_gain * clamp(3.0 - line_fade * bend.y, 0.0, 1.0);
    float inside = max(abs(out_.x), abs(out_.y)) <= 1.0 ? 1.0 : 0.0;
    // Stripes of red, green and blue, three of the target's pixels wide.
    float column = fract(gl_FragCoord.x * (1.0 / 3.0));
    vec3 stripe = stripe_gain.x + stripe_gain.y * vec3(abs(column - 0.5) < 0.17, column < 0.33, column > 0.67);
    return vec4(picture(bent).rgb * stripe * (inside + inside * seen * dark), 1.0);
}
