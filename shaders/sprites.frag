#include "sprite.glsl"

void main() {
    color = sprite_color();
}
