"""Error messages for users of other engines: Subtick's names for classes such as ``Button``."""

from __future__ import annotations

import re

from .other_names import words

_DRAWN = "nothing is drawn in each frame: write shapes = self.add(fw.Shapes()) in setup, and "


_PHYSICS = "write physics = fw.Physics2D(self, gravity=(0, -900)) and bodies = physics.add(batch)"


_SCENES = "write class Level(fw.Scene), and game.push(Level()) or game.show(Level())"


_IMAGES = "an image is a path: write self.sprites.add('ship.png', position=(x, y))"


PACKAGE = {
    **words(
        "PointLight SpotLight OmniLight3D", "write self.world.lights.add((0, 3, 0), intensity=5)"
    ),
    **words("PointLight2D Light2DSource LightLayer", "write fw.Lights2D"),
    **words("Lights3D", "write self.world.lights"),
    **words(
        "DirectionalLight AmbientLight DirectionalLight3D",
        "write self.world.sun_direction = (1, 2, 1), sun_color and the other attributes of a World",
    ),
    **words("Sky Skybox WorldEnvironment Environment", "write self.world.sky = True"),
    **words("Fog", "write self.world.fog = 0.02"),
    **words("Text Label3D Label2D TextMesh Text3D", "write self.labels.add('Score 0', (16, 16))"),
    **words(
        "Button Slider Checkbox UIManager CheckBox TextInput InputField Panel Control Canvas GUI UI "
        "UIFlatButton ProgressBar",
        "write menu = self.ui.column() and menu.button('Go', self.go)",
    ),
    **words("Menu PauseMenu Settings", "write fw.scenes.Menu, or menu = self.ui.column()"),
    **words(
        "Entity GameObject Actor SpriteCircle Node2D AnimatedSprite Sprite2D Prefab",
        "write batch = self.add(fw.SpriteBatch(image)) and batch.add(position=(x, y))",
    ),
    **words(
        "MeshInstance3D MeshInstance InstancedMesh MultiMeshInstance3D BoxGeometry BoxMesh CubeMesh "
        "CSGBox3D",
        "write batch = self.add(fw.MeshBatch(fw.Mesh.cube())) and batch.add(position=(x, y, z))",
    ),
    **words("SphereMesh SphereGeometry CSGSphere3D", "write fw.MeshBatch(fw.Mesh.sphere(0.5))"),
    **words("CapsuleMesh CapsuleGeometry Capsule", "write fw.MeshBatch(fw.Mesh.capsule(0.4, 1.8))"),
    **words("PlaneMesh PlaneGeometry", "write fw.MeshBatch(fw.Mesh.plane((20, 20)))"),
    **words("CylinderMesh CylinderGeometry", "write fw.MeshBatch(fw.Mesh.cylinder())"),
    **words("Torus TorusMesh TorusGeometry Ring", "write fw.MeshBatch(fw.Mesh.torus())"),
    **words(
        "StandardMaterial StandardMaterial3D MeshStandardMaterial MeshBasicMaterial",
        "write fw.Material(base_color='orange', roughness=0.5)",
    ),
    **words("Terrain Heightmap HeightMap", "write fw.Heightfield(heights)"),
    **words("GLTFLoader Gltf GLTF", "write fw.ModelBatch(fw.Model('duck.glb'))"),
    **words("OrbitControls Orbiter", "write fw.Orbit(self.world.camera, distance=10)"),
    **words("Raycaster Ray RayCast3D", "write world.pick(start, direction), or physics.raycast"),
    **words("Raycast raycast", "write world.pick(start, direction), or physics.raycast"),
    **words(
        "ThirdPerson ThirdPersonController ThirdPersonCamera SpringArm3D ChaseCamera",
        "write fw.Follow(self.world.camera, instance, offset=(0, 3, 8)), or "
        "fw.Orbit(self.world.camera, distance=6) with orbit.target = instance.position in update",
    ),
    **words("Scene3D", "write class Level(fw.Scene): each scene has self.world"),
    **words(
        "Transform Transform3D",
        "a row has it: write instance.position, rotation and instance.scale",
    ),
    **words("HUD Hud", "write self.labels.add('Score 0', (16, 16)), or self.ui.row(hud=True)"),
    **words("Node3D Sprite3D", "write fw.MeshBatch, fw.Billboards or fw.Nodes3D"),
    **words("SpriteList Group SpriteGroup Batch", "write self.add(fw.SpriteBatch(image))"),
    **words("instantiate spawn create add", "write batch.add(position=(x, y))"),
    **words("destroy kill", "write sprite.remove()"),
    **words(
        "Window App Application open_window create_window init EventLoop set_mode display",
        "write class MyGame(fw.Game), and fw.run(MyGame, size=(1280, 720))",
    ),
    **words("Camera OrthographicCamera", "write self.camera, or self.world.camera in 3D"),
    **words("PerspectiveCamera", "write self.world.camera"),
    **words(
        "OrbitCamera EditorCamera ArcballCamera", "write fw.Orbit(self.world.camera, distance=10)"
    ),
    **words("FirstPersonController FlyCamera FreeCamera", "write fw.Fly(self.world.camera)"),
    **words("FollowCamera SmoothFollow", "write fw.Follow(self.camera, sprite, smoothing=0.8)"),
    **words(
        "Vec2 Vec3 Vector2 Vector3 vec2 vec3 Vector",
        "positions are tuples and NumPy arrays: (x, y), and (x, y, z) in 3D",
    ),
    **words("Quaternion Quat", "write from framework import quaternions"),
    **words(
        "Timer Clock time clock Cooldown after every call_later",
        "write self.schedule.once(function, 1.0); dt is in update(self, dt)",
    ),
    **words("AudioSource AudioPlayer AudioStreamPlayer", "write fw.Sound('jump.wav').play()"),
    **words("load_sound play_sound sound", "write fw.Sound('jump.wav').play()"),
    **words(
        "Music MusicPlayer music mixer load_music play_music",
        "write fw.Sound('jump.wav').play(), or self.audio.music.play('theme.ogg')",
    ),
    **words(
        "Color Colour color colors Rect",
        "colors and rectangles are tuples: color='red' or (1, 0, 0)",
    ),
    **words(
        "SolidColor SpriteSolidColor make_rectangle make_soft_square_texture Pixmap",
        "an image of one color is an array: write np.full((24, 70, 4), 255, np.uint8), and the "
        "color of each sprite is sprite.color = 'red'",
    ),
    **words("RED GREEN BLUE WHITE BLACK YELLOW", "write color='red'"),
    **words("load load_image load_texture Image Texture2D Surface image", _IMAGES),
    **words(
        "load_tilemap load_tiled load_map load_tmx Tilemap TiledMap TileMapLayer Tiled",
        "write fw.TileMap('level.tmx')",
    ),
    **words("Tileset TileSheet", "write fw.TileSet"),
    **words(
        "SpriteSheet Spritesheet sprite_sheet load_spritesheet",
        "write fw.sheet('walk.png', (32, 48), columns=8, rows=1)",
    ),
    **words("wait sleep", "write await self.seconds(1) in a routine: self.start(self.intro())"),
    **words(
        "choice seed shuffle sample", "write self.random.choice(items), which a replay repeats"
    ),
    **words("Point", "positions are tuples and NumPy arrays: (x, y), and (x, y, z) in 3D"),
    **words("screen", "write self.size; nothing is drawn by hand: add the object once in setup"),
    **words("clipboard", "write game.display.to_clipboard(text)"),
    **words(
        "Dialog Popup MessageBox Confirm Alert",
        "write await self.ui.ask('Quit?', 'Yes', 'No') in a routine",
    ),
    **words("Tooltip ToolTip", "write menu.button('Go', self.go, tooltip='Starts the game')"),
    **words("TextField TextBox LineEdit", "write menu.text_field('', self.rename)"),
    **words("Toolbar MenuBar Container", "write bar = self.ui.row(anchor='bottom', hud=True)"),
    **words("ContextMenu", "write self.ui.window('Card'), with buttons in it"),
    **words("RichText", "write self.labels.add('[b]bold[/] and [#f80]orange[/]', (16, 16))"),
    **words(
        "render_text text_image TextImage",
        "draw the text with Pillow, as docs/plane.md shows",
    ),
    **words(
        "Card Deck Hand Pile Tower Enemy Spawner Wave",
        "write your own class, or a batch with columns: fw.SpriteBatch(images, columns={'kind': 0})",
    ),
    **words(
        "Draggable DragDrop DropZone Droppable drag",
        "write self.dragged = batch.pick(self.camera.screen_to_world(self.mouse.position)), as in "
        "the example: framework run dragging",
    ),
    **words(
        "Undo UndoStack History Command CommandStack",
        "write self.history.append(self.saves.pack()), and to take back a move "
        "self.saves.unpack(self.history.pop())",
    ),
    **words(
        "Config Preferences Options",
        "write fw.scenes.Settings(); or write saved = ('score',) in the class, then "
        "game.save('slot 1')",
    ),
    **words("load_model load_mesh", "write fw.Model('duck.glb')"),
    **words("Font load_font", "write self.add(fw.TextBatch('title.ttf', 24))"),
    **words("draw_text", "write self.labels.add('Score 0', (16, 16)) once in setup"),
    **words(
        "draw_circle draw_circle_filled Circle circle", _DRAWN + "shapes.add_circle((x, y), 20)"
    ),
    **words(
        "draw_rectangle draw_rect draw_rectangle_filled draw_rect_filled draw_lrbt_rectangle_filled "
        "Rectangle rect",
        _DRAWN + "shapes.add_box((x, y), (40, 20))",
    ),
    **words("draw_line Line line", _DRAWN + "shapes.add_line((0, 0), (9, 9))"),
    **words("draw_texture draw_sprite draw_texture_rect", _IMAGES),
    **words("Box Cube Cuboid", "write fw.MeshBatch(fw.Mesh.box())"),
    **words("Sphere Ball", "write fw.MeshBatch(fw.Mesh.sphere())"),
    **words("Quad Plane", "write fw.MeshBatch(fw.Mesh.plane((20, 20)))"),
    **words("Cylinder", "write fw.MeshBatch(fw.Mesh.cylinder())"),
    **words("random randint rand", "write self.random.integers(1, 7), which a replay repeats"),
    **words("math degrees radians", "write import math, then math.radians(90)"),
    **words(
        "rotate_toward rotate_towards turn_toward turn_towards approach_angle look_at face angle_to "
        "angle_between angle_diff angle_difference lerp_angle wrap_angle direction_to direction "
        "get_angle_degrees get_angle_radians",
        "write math.atan2(target.y - sprite.y, target.x - sprite.x); docs/plane.md also "
        "turns a sprite at a limited speed",
    ),
    **words(
        "move_toward move_towards approach",
        "write step = max(-limit, min(limit, target - value)) and value += step, or "
        "self.tween(sprite, position=(x, y), duration=0.5)",
    ),
    **words(
        "Path Path2D PathFollow PathFollow2D PathFollower Waypoints Spline BezierPath follow_path",
        "docs/plane.md shows how to follow a path",
    ),
    **words("normalize", "write direction / np.hypot(*direction), for an array of two numbers"),
    **words("length magnitude", "write math.hypot(x, y), or np.hypot(*vectors.T)"),
    **words("sign", "write np.sign(value)"),
    **words("smoothstep smooth_step ease_in ease_out", "write fw.ease('smooth', t), t from 0 to 1"),
    **words("remap map_range inverse_lerp", "write np.interp(value, (0, 10), (100, 200))"),
    **words("wrap wrapf", "write value % size"),
    **words("clamp", "write min(max(value, low), high), or np.clip(values, low, high)"),
    **words("lerp", "write a + (b - a) * t, or self.tween(sprite, x=400, duration=1)"),
    **words("distance", "write math.dist(sprite.position, other.position)"),
    **words(
        "schedule schedule_once schedule_interval",
        "write self.schedule.interval(function, 1.0), or self.schedule.once",
    ),
    **words(
        "Recorder Recording start_recording replay",
        "write game.recording.start('one.replay'), and later fw.Replay.open('one.replay')",
    ),
    **words(
        "Storage save load_save HighScores Highscores HighScore ScoreTable Leaderboard",
        "write saved = ('score',) in the class, then game.save('slot 1'); the example high_scores "
        "has a table: framework run high_scores",
    ),
    **words("ScreenShake ScreenShake2D shake CameraShake", "write self.camera.shake(12, ticks=30)"),
    **words(
        "HealthBar Healthbar IndicatorBar",
        "write self.ui.row(hud=True).progress_bar(1.0, width=120); docs/plane.md shows bars "
        "above sprites",
    ),
    **words(
        "GameOver GameOverScreen TitleScreen", "write fw.scenes.Menu('Game over', {'Again': f})"
    ),
    **words("State FSM", "write fw.StateMachine('idle', 'walk')"),
    **words("Body", _PHYSICS),
    **words("run_game start main_loop", "write fw.run(MyGame)"),
    **words("Key", "write fw.key.SPACE, or self.keys['space']"),
    **words("keys Input Keyboard keyboard held_keys is_key_pressed", "write self.keys['space']"),
    **words("Joystick Controller Gamepad0 joystick", "write self.pads[0]"),
    **words(
        "check_for_collision check_for_collision_with_list collides collision collisions overlaps",
        "write collide.overlaps(sprite, batch)",
    ),
    **words("AnimationPlayer AnimatedTexture", "write fw.Clips and batch.play('walk')"),
    **words("Area2D Area3D Trigger", "write physics.add(batch, sensor=True)"),
    **words(
        "RigidBody2D StaticBody2D CollisionShape2D Physics Rigidbody2D PymunkPhysicsEngine Space",
        _PHYSICS,
    ),
    **words("RigidBody RigidBody3D Rigidbody StaticBody3D", "write fw.Physics3D(self)"),
    **words(
        "CharacterBody2D KinematicBody2D PhysicsEngine PhysicsEnginePlatformer PhysicsEngineSimple",
        "write collide.move(position, size, displacement, level['ground'])",
    ),
    **words(
        "CharacterBody3D CharacterController KinematicCharacterController",
        "write physics.add(instance, shape='capsule', kind='kinematic'), and physics.character(instance)",
    ),
    **words("Vehicle VehicleBody3D", "write physics.vehicle(instance, wheels)"),
    **words(
        "Collider BoxCollider SphereCollider MeshCollider CollisionShape3D",
        "write bodies = physics.add(batch, shape='box'), where physics = fw.Physics3D(self)",
    ),
    **words(
        "PhysicsMaterial PhysicsMaterial3D",
        "write physics.add(batch, friction=0.7, elasticity=0.5)",
    ),
    **words(
        "Particle Particles2D ParticleSystem ParticleEmitter GPUParticles2D", "write fw.Particles"
    ),
    **words("SceneManager SceneTree Screen Level", _SCENES),
    **words("Signal signal", "write game.subscribe('hit', function) and game.emit('hit')"),
    **words("move_and_slide", "write collide.move(position, size, velocity * dt, level['ground'])"),
    **words("window", "write game.display, such as game.display.title = 'My game'"),
    **words("font", "write self.labels.add('Score 0', (16, 16), font_size=24)"),
    **words("draw", _DRAWN + "shapes.add_circle((x, y), 20)"),
    **words("event", "write on_key_press(self, symbol, modifiers) in your class of fw.Game"),
    **words(
        "draw_cube draw_sphere draw_model draw_mesh", "write self.add(fw.MeshBatch(fw.Mesh.box()))"
    ),
    **words("is_key_down is_key_held get_key", "write self.keys['space']"),
    **words("init_window begin_drawing end_drawing clear_background flip", "write fw.run(MyGame)"),
    **words("tween Tween2 animate", "write self.tween(sprite, x=400, duration=1)"),
    **words("exit quit close", "write game.exit()"),
    **words("sprite", "write self.sprites.add('ship.png', position=(x, y))"),
    **words("update", "write update(self, dt) in your class of fw.Game"),
}


"""Advice about names that other engines have in their packages, such as ``Button``."""


def advice_on(name: str) -> str | None:
    """Return advice about a name that the package ``fw`` does not have, or None if there is no
    advice.
    """
    if name[:6] == "MOUSE_":
        buttons = [part for part in name.split("_") if part in ("LEFT", "RIGHT", "MIDDLE")]
        if not buttons:
            return "write self.mouse['left']"
        return f"write fw.mouse.{buttons[0]}, or self.mouse['{buttons[0].lower()}']"
    if name[:2] == "K_" or name[:4] == "KEY_":
        return f"write fw.key.{name.partition('_')[2].upper()}, or self.keys['space']"
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()  # a name such as LoadTexture
    return PACKAGE.get(name) or PACKAGE.get(snake)
