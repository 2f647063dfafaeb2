// Enlarges a low-resolution image that has a border of one texel. Each texel becomes a square. A pixel on the border
// between two texels gets their average, weighted by the area that each texel covers.
uniform sampler2D picture;
uniform vec2 origin;  // bottom left corner of the viewport, in pixels
uniform vec2 zoom;    // pixels per texel
uniform vec2 shift;   // shift of the image in texels, at most half a texel

out vec4 color;

void main() {
    vec2 place = (gl_FragCoord.xy - origin) / zoom - shift + 1.0;
    vec2 seam = floor(place + 0.5);
    vec2 inside = seam + clamp((place - seam) * max(zoom, vec2(1.0)), -0.5, 0.5);
    color = texture(picture, inside / vec2(textureSize(picture, 0)));
}
