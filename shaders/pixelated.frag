// A picture of few texels, with a border of one, brought to many pixels: each texel a square, and a pixel that lies on
// the seam of two has their mean, by how much of it each covers.
uniform sampler2D picture;
uniform vec2 origin;  // of the viewport, in pixels
uniform vec2 zoom;    // pixels a texel
uniform vec2 shift;   // texels that the picture is moved by, at most half a one

out vec4 color;

void main() {
    vec2 place = (gl_FragCoord.xy - origin) / zoom - shift + 1.0;
    vec2 seam = floor(place + 0.5);
    vec2 inside = seam + clamp((place - seam) * max(zoom, vec2(1.0)), -0.5, 0.5);
    color = texture(picture, inside / vec2(textureSize(picture, 0)));
}
