// Computes where the screen's pixels are in the world, relative to the eye. framework/tiles/parallax_layers.py sets the
// uniforms.
uniform vec4 window;  // the middle of the screen in pixels of the framebuffer; units per pixel
uniform mat2 turned;  // from pixels to units, with the camera's rotation
uniform vec4 tint;    // premultiplied
