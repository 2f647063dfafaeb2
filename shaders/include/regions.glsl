// The regions of a texture atlas. framework/gpu/atlas.py writes the table of regions, and places the reduced images.
uniform sampler2D regions;  // two texels per image: rectangle in the atlas; anchor and number of halvings

vec4 region(int texel) {
    int width = textureSize(regions, 0).x;
    return texelFetch(regions, ivec2(texel % width, texel / width), 0);
}

// Return the rectangle of a reduced image.
vec4 reduced_rectangle(vec4 rectangle, int level) {
    ivec2 size = ivec2(rectangle.zw), corner = ivec2(0, size.y + 1);
    for (int i = 1; i < level; i++)
        corner += ivec2(i & 1, 1 - (i & 1)) * (max(size >> i, 1) + 1);
    return vec4(rectangle.xy + vec2(corner), vec2(max(size >> level, 1)));
}
