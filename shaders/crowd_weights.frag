// The morph weights of a crowd's rows. A fragment is one weight of one row.
#include "crowd.glsl"

uniform sampler2D baked_weights;  // the weights of each pose

out float result;

float weight_at(Moment moment, int number) {
    float first = texel(baked_weights, moment.first * fragments_of_row + number).x;
    float second = texel(baked_weights, (moment.first + 1) * fragments_of_row + number).x;
    return first + (second - first) * moment.part;
}

float weight_of(Playing playing, int number) {
    float newer = weight_at(playing.newer, number), older = weight_at(playing.older, number);
    return older + (newer - older) * playing.share;
}

void main() {
    int number = fragment_number();
    int row = number / fragments_of_row, weight = number - row * fragments_of_row;
    if (row >= row_count)
        discard;
    Drawn drawn = drawn_of(row);
    float first = weight_of(drawn.first, weight);
    result = drawn.share > 0.0 ? first + (weight_of(drawn.second, weight) - first) * drawn.share : first;
}
