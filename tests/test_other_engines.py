"""Names and options of other engines: each raises one error with a name of Subtick that exists."""

from __future__ import annotations

import functools
import inspect
import os
import pickle
import re
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework import collide, paths, quaternions
from framework.checks import listed, unknown_attribute
from framework.game.error_advice import advise
from framework.moved_names import Absent
from framework.other_engines import other_options
from framework.other_engines.other_names import OtherName
from framework.other_engines.other_options import option_hint
from framework.other_engines.package_names import PACKAGE

# A line of a game, and words of the only error that the line raises. `g` is the game.
ROWS = {
    # -- options by meaning and by spelling ---------------------------------------------------
    "fw.Material(color='red')": "Material: unknown option 'color'; did you mean base_color",
    "fw.Material(albedo='red')": "base_color",
    "fw.Material(base_colour='red')": "base_color",
    "fw.Material(texture='a.png')": "base_texture",
    "g.physics3.add(g.cubes, restitution=0.5)": "did you mean elasticity",
    "g.physics3.add(g.cubes, trigger=True)": "did you mean sensor",
    "g.physics3.add(g.cubes, is_kinematic=True)": "kind='kinematic'",
    "g.physics2.add(g.batch, restitution=0.5)": "did you mean elasticity",
    "g.physics2.add(g.batch, bounciness=0.5)": "did you mean elasticity",
    "g.physics2.add(g.batch, collider='circle')": "did you mean shape",
    "g.physics2.add(g.batch, collision_type='player')": "did you mean layer",
    "g.physics2.add(g.batch, frictoin=1)": "did you mean friction",
    "g.camera.shake(16, duration=0.4)": r"camera\.shake\(12, ticks=30\)",
    "g.camera.shake(intensity=3)": "did you mean strength",
    "g.camera.follow(g.sprite, bounds=(0, 0, 9, 9))": r"write fw\.Follow\(self\.camera",
    "fw.Follow(g.camera, g.sprite, limits=(0, 0, 1, 1))": "did you mean bounds",
    "fw.Follow(g.camera, g.sprite, lerp=0.1)": "did you mean smoothing",
    "fw.Orbit(g.world.camera, radius=3)": "distance=10",
    "fw.Orbit(g.world.camera, target=g.cube)": r"orbit\.target = instance\.position",
    "fw.SpriteBatch(g.img, scale=0.6)": r"batch\.add\(position=\(x, y\), scale=2\)",
    "fw.SpriteBatch(filename='a.png')": "did you mean image",
    "fw.MeshBatch(fw.Mesh.box(), color='red')": r"material=fw\.Material\(base_color='red'\)",
    "g.batch.add(x=3, y=3)": r"position=\(x, y\)",
    "g.batch.add(pos=(3, 3))": "did you mean position",
    "g.batch.add(position=(3, 3), angle_degrees=90)": r"angle=math\.radians\(90\)",
    "g.batch.add(position=(3, 3), colour='red')": "did you mean color",
    "g.batch.add(position=(3, 3), rgb=(1, 0, 0))": "did you mean color",
    "g.batch.add(position=(3, 3), flip_h=True)": r"flip=\(True, False\)",
    "g.cubes.add(position=(0, 0, 0), angle=1)": r"quaternions\.from_axis",
    "g.cubes.add(pos=(0, 0, 0))": "did you mean position",
    "fw.Game(width=640, height=360)": "Game: unknown option 'width'; did you mean size",
    "fw.Game(headless=True, fps=30)": "did you mean tick_rate",
    "fw.Game(headless=True, out='a.png')": r"fw\.run\(MyGame, frames=60, screenshot='out.png'\)",
    "fw.run(fw.Game, width=640, height=360)": "did you mean size",
    "g.labels.add('x', (3, 3), fontsize=3)": "did you mean font_size",
    "g.labels.add('x', x=3, y=3)": r"self\.labels\.add\('Score 0', \(x, y\)\)",
    "g.labels.add('x', (3, 3), bold=True)": "a batch has one font",
    "g.shapes.add_circle((0, 0), 3, thickness=3)": "did you mean stroke_width",
    "g.shapes.add_circle(center=(0, 0), radius=3)": r"shapes\.add_circle\(\(x, y\), 20\)",
    "g.shapes.add_box((0, 0), (9, 9), corner_radius=3)": r"shapes\.add_box\(\(x, y\), \(40, 20\), corner=5\)",
    "g.sparks.emit(20, position=(3, 3), color='red')": "write tint=",
    "g.sparks.emit(amount=20)": r"particles\.emit\(20",
    "fw.Particles(lifespan=3)": "did you mean lifetime",
    "g.sound.play(speed=3)": "did you mean pitch",
    "g.sound.play(vol=0.3)": "did you mean volume",
    "g.sound.play().stop(fade_out=1)": "did you mean fade",
    "fw.Sound('a.wav', volume=0.3)": r"\.play\(volume=0\.5",
    "g.tween(g.sprite, x=3, time=1)": "did you mean duration",
    "g.tween(g.sprite, x=3, duration=1, easing='linear')": "did you mean ease",
    "g.tween(g.sprite, x=3, duration=1, on_complete=print)": r"schedule\.once",
    "g.tween(g.sprite, opacity=0, duration=1)": r"sprite\.alpha",
    "fw.Mesh.sphere(r=3)": "did you mean radius",
    "fw.Mesh.box(width=3)": "did you mean size",
    "fw.Model('a.glb', scale=3)": r"batch\.add\(position=\(0, 0, 0\), scale=2\)",
    "g.world.lights.add((0, 1, 0), energy=3)": "did you mean intensity",
    "g.lights2.add((3, 3), range=30)": "did you mean radius",
    "fw.Clip(range(3), fps=3)": "did you mean rate",
    "fw.Fade(time=1)": "did you mean duration",
    "fw.TileMap('a.tmx', scaling=2)": r"camera\.zoom = 2",
    "g.ui.column().button('x', on_click=print)": "did you mean on_press",
    # -- objects that only the framework makes, and calls with a wrong count -------------------
    "fw.Label('hi')": r"write self\.labels\.add\('Score 0'",
    "fw.Sprite(g.img)": r"write self\.sprites\.add\('ship\.png'",
    "fw.Sprite('ship.png', scale=2)": r"write self\.sprites\.add\('ship\.png'",
    "fw.Voice()": r"fw\.Sound\('jump\.wav'\)\.play\(\)",
    "fw.Light2D()": r"lights\.add\(\(x, y\), radius=100\)",
    "fw.Light3D(color='red')": r"self\.world\.lights\.add",
    "fw.Emitter()": r"particles\.emitter\(",
    "fw.View()": r"write class Menu\(fw\.Scene\)",
    "g.testing.click('Play')": r"x: expected the text of a visible widget, got 'Play'",
    "g.testing.click(3)": r"write click\(100, 50\)",
    "g.testing.click_button('Play')": r"write game\.testing\.click\('Play'\)",
    "g.labels.add('x', 3, 3)": r"self\.labels\.add\('Score 0', \(16, 16\)\)",
    "g.cubes.add((1, 1, 1))": r"batch\.add\(position=\(x, y, z\)\)",
    "g.add(g.img)": r"self\.sprites\.add",
    "g.add(fw.Scene())": r"game\.push\(scene\)",
    "g.add(g.sprite)": r"self\.add\(batch\)",
    "g.add(g.physics2)": "steps in every tick",
    # -- attributes ---------------------------------------------------------------------------
    "g.batch.y": r"batch\.position\[:, 1\]",
    "g.batch.y = 3": r"batch\.position\[:, 1\]",
    "g.batch.count": r"len\(batch\)",
    "g.sprite.change_x = 3": r"columns=\('velocity',\)",
    "g.sprite.queue_free()": r"sprite\.remove\(\)",
    "g.sprite.z_index = 3": r"sprite\.layer",
    "g.sprite.width = 3": r"sprite\.scale = \(2, 1\)",
    "g.sprite.hp = 3": r"columns=\{'hp': 0\.0\}",
    "g.camera.limits = 3": r"fw\.Follow\(self\.camera",
    "g.camera.use()": r"self\.add\(batch, camera=camera\)",
    "g.world.ambient = 3": "sky_color",
    "g.world.lights = ()": r"lights: expected a Lights.*lights\.clear\(\)",
    "g.world.camera.pitch = 3": r"fw\.Orbit\(self\.world\.camera",
    "g.effects.remove(5)": r"effects: expected an effect of the list, got 5; .*effects\.remove\(bloom\)",
    "g.effects.add(fw.Bloom())": r"effects\.append",
    "g.tiles.tiles[0, 0] = -1": "at least 0, and 0 is no tile",
    "g.tiles.set_tile(0, 0, 1)": r"layer\.tiles\[row, column\] = 1",
    "g.tiles.get_tile(0, 0)": r"write row, column = layer\.world_to_cell",
    "g.tiles.map_to_local((0, 0))": r"layer\.cell_center\(\(row, column\)\)",
    "g.debug.print('a')": r"fw\.debug\.log",
    "g.keys.down('left')": r"write keys\['left'\]",
    "g.keys.is_pressed('left')": r"keys\['space'\]",
    "g.keys.left": r"keys\['left'\]",
    "fw.key.K_LEFT": "did you mean LEFT",
    "fw.key.ESC": "did you mean ESCAPE",
    "g.mouse.pos": r"self\.mouse\.position",
    "g.pads[0].left_stick": r"pad\.leftstick",
    "g.label.value = 3": r"label\.text = 'Score 1'",
    "g.label.size = 3": r"label\.font_size",
    "g.label.kill()": r"label\.remove\(\)",
    "g.sparks.burst(12)": r"particles\.emit\(20, position=\(x, y\)\)",
    "g.sound.volume = 3": r"sound\.play\(volume=0\.5",
    "g.sound.play().pause()": r"voice\.paused = True",
    "g.audio.muted = True": r"audio\.enabled = False",
    "g.audio.buses.music": r"audio\.buses\['music'\]",
    "g.schedule.every(1, print)": r"self\.schedule\.interval\(function, 1\.0\)",
    "g.schedule.after(1, print)": r"self\.schedule\.once\(function, 1\.0\)",
    "g.after(1, print)": r"self\.schedule\.once",
    "g.pause()": r"game\.timestep\.paused = True",
    "g.ui.label('x')": r"self\.ui\.column\(.*\)\.label",
    "g.ui.text('x')": r"self\.ui\.column\(\)\.label",
    "g.ui.column().checkbox('x')": r"menu\.toggle",
    "g.ui.column().button('x').x = 3": "a layout places the widgets",
    "g.ui.column().button('x').hide()": r"widget\.visible = False",
    "g.ui.column().button('x').disabled = True": "did you mean enabled",
    "g.ui.column().button('x').background = 'red'": r"theme\.with_\(control='#802020'\)",
    "g.ui.column().label('x').font = 'menu.ttf'": r"self\.ui\.theme\.with_\(font='menu\.ttf'\)",
    "g.ui.column().label('x').value = 3": r"label\.text = 'Score 3'",
    "g.testing.hold('w')": r"game\.testing\.press\('w'\)",
    "g.testing.move_mouse(3, 3)": r"game\.mouse\.move\(x, y\)",
    "g.bodies.grounded": r"physics\.staying\('ball', 'ground'\)",
    "g.bodies.add_impulse((0, 3))": r"bodies\.impulse\(\(0, 300\)\)",
    "g.bodies.velocity.y": r"write velocity\[:, 1\]",
    "g.physics2.on_collision(print)": r"physics\.entered",
    "g.cube.position.y": r"position\[1\]",
    "quaternions.from_angles(0, 1, 0)": r"quaternions\.from_euler\(yaw, pitch, roll\)",
    "quaternions.inverse((0, 0, 0, 1))": r"quaternions\.conjugate",
    "collide.overlap(g.batch, g.batch)": r"collide\.overlaps\(heroes, coins\)",
    "paths.astar(1, 2, 3)": r"paths\.find",
    "fw.Mesh.quad()": r"fw\.Mesh\.plane",
    "fw.Window": r"class MyGame\(fw\.Game\)",
    "fw.AnimatedSprite": r"fw\.SpriteBatch",
    "fw.RigidBody2D": r"fw\.Physics2D",
    "fw.load_texture('a.png')": r"self\.sprites\.add\('ship\.png'",
    "fw.draw_circle_filled(3)": r"shapes\.add_circle",
    # -- names that a user of the docs alone wrote -----------------------------------------------
    "g.save_exists('one')": r"game\.saves\.exists\(slot\)",
    "g.load('nothing yet')": r"There is no such save yet; .*self\.saves\.exists\(slot\)",
    "fw.art.laser": r"but a sound: write fw\.art\.sounds\.laser",
    "fw.art.nothing": r"fw\.art\.sounds has sounds",
    "g.center": r"self\.size\[0\] / 2",
    "g.shapes.rectangle(1, 2, 3, 4)": r"shapes\.add_box\(\(x, y\), \(40, 20\)\)",
    "g.box.width = 3": r"stroke_width .*shape\.size = \(40, 20\)",
    "g.box.height = 3": r"shape\.size = \(40, 20\)",
    "g.sprite.alive": r"write if not sprite\.removed",
    "g.sprite.distance_to(g.sprite)": r"math\.dist\(sprite\.position",
    "g.sprite.apply_impulse((0, 5))": r"bodies\.impulse\(\(0, 300\), sprite\)",
    "g.sprite.alpha = 128": "alpha: expected a finite number from 0 to 1, got 128",
    "g.sprite.jump()": r"has no attribute 'jump'; it has alpha, .*, y$",
    "g.sprite.jump": r"columns=\{'jump': 0\.0\}",
    "g.sprite.postion": r"did you mean 'position'\?$",
    "g.cube.distance_to(g.cube)": r"math\.dist\(",
    "g.batch.layer[0].hp": r"write batch\[row\]\.hp",
    "g.physics2.add_hinge(g.sprite)": r"physics\.pivot\(sprite, None, \(x, y\)\)",
    "g.physics2.hinge(g.sprite)": r"physics\.pivot\(sprite, None, \(x, y\)\)",
    "g.physics2.add_sensor((1, 1))": r"physics\.add\(batch, kind='static', sensor=True\)",
    "g.physics2.rope(g.sprite, None, length=3)": r"did you mean max_length\?",
    "g.physics2.point_query((1, 1))": r"physics\.query_point\(\(x, y\)\)",
    "g.physics2.add_static(position=(1, 1))": r"physics\.add\(batch, kind='static'\) for sprites",
    "g.physics2.add_line((0, 1), (2, 3), 5)": r"physics\.add_line\(\[\(0, 0\), \(800, 0\)\]\)",
    "g.physics2.raycast((1, 1), (0, -1), 200)": r"physics\.raycast\(start, displacement\)",
    "g.physics2.debug = True": r"physics\.debug_lines\(\)",
    "g.physics2.paused = True": r"fw\.Physics2D\(self, group=group\)",
    "g.physics2.on_collision = print": r"physics\.entered",
    "g.physics2.gravty = (0, 1)": "did you mean 'gravity'",
    "g.physics3.iterations = 8": r"substeps=2",
    "g.bodies.bounce = 3": r"elasticity=0\.5",
    "g.bodies.velocty = 3": "did you mean 'velocity'",
    "g.joint.motor_speed = 3": r"motor\.drive\(speed\)",
    "g.joint.limits = (-1, 1)": r"physics\.turn_limit",
    "g.joint.foo = 3": "Joint2D has no attribute 'foo'; it has drive, force, remove, removed, torque",
    "g.testing.scroll(2)": r"game\.mouse\.scroll",
    "g.testing.press('mouse_left')": "write 'mouse:left'",
    "g.world.sky_texture = 'a.png'": "a sky has no image",
    "g.world.add_text('x')": r"self\.labels\.add.*world_to_screen",
    "g.world.wireframe = True": r"fw\.Material\(wireframe=True\)",
    "g.world.sun_intensity = 3": r"sun_color = \(2, 2, 2\)",
    "g.world.lights.add('sun')": r"position: .* got 'sun'; .*self\.world\.sun_direction",
    "g.lamp.enabled = False": r"light\.intensity = 0",
    "fw.TileMap.load('a.tmx')": r"fw\.TileMap\('level\.tmx'\)",
    "g.random.randint(0, 5)": r"self\.random\.integers\(0, 800\)",
    "g.add(fw.Mesh.sphere(), position=(0, 0, 0))": r"batch\.add\(position=",
    "fw.SpriteBatch().add(image=(g.img, g.img))": r"fw\.Clips\(images, walk=\(0, 4, 8\)\)",
    # -- names that an Arcade programmer guessed in the first hours -------------------------------
    "g.sprites.add(fw.art.hero)": r"write batch = self\.add\(fw\.SpriteBatch\(clips\)\)",
    "g.batch.add(image=fw.art.items.coin)": r"write batch = self\.add\(fw\.SpriteBatch\(clips\)\)",
    "g.batch.add(position=(1, 2), vx=3)": r"write velocity=\(vx, vy\)",
    "g.sprite.vx = 3": r"columns=\('velocity',\)\) and sprite\.velocity",
    "g.batch.vy": r"columns=\('velocity',\)\) and batch\.velocity",
    "g.sprite.top": r"write sprite\.y \+ sprite\.height / 2",
    "g.sprite.right": r"write sprite\.x \+ sprite\.width / 2",
    "g.sprite.collides(g.sprite)": r"write collide\.overlaps\(sprite, batch\)",
    "g.sprite.play_animation('walk')": r"write sprite\.play\('walk'\)",
    "g.sprite.clip = 'walk'": r"write sprite\.play\('walk'\)",
    "g.sprite[0]": r"not subscriptable; write sprite\.x",
    "g.batch.extend(position=[(1, 2)])": r"batch\.extend\(len\(positions\), position=positions\)",
    "g.batch.color[0] = 'red'": r"write batch\.color\[rows\] = \(1, 0\.5, 0, 1\)",
    "g.batch.color[0] = 'banana'": r"could not convert string to float: 'banana'$",
    "g.ui.column().progress_bar(1, color='red')": "did you mean fill",
    "g.ui.column().progress_bar(1, percent=50)": "did you mean value",
    "g.ui.column().progress_bar(1).color = 'red'": r"write bar\.fill = 'red'",
    "g.ui.column().progress_bar(1).max_value = 6": r"write bar\.value = hp / max_hp",
    "g.ui.column().progress_bar(1).set_value(1)": r"write bar\.value = hp / max_hp",
    "g.start_recording('a.replay')": r"write game\.recording\.start\('one\.replay'\)",
    "g.save_game()": r"game\.save\('slot 1'\)",
    "g.mouse_x": r"self\.mouse\.x",
    "g.keyboard": r"self\.keys\['space'\]",
    "g.rng": r"self\.random\.integers",
    "g.keys.vector('left', 'right', 'down', 'up')": r"fw\.Stick\('left right down up'\)",
    "g.keys[' ']": "did you mean 'space'",
    "g.testing.press('space', 3)": r"game\.testing\.release\('space'\)",
    "g.sound.play(0.5)": r"write sound\.play\(volume=0\.5",
    "g.tiles[0, 0]": r"not subscriptable; write layer\.tiles\[row, column\]",
    "g.tiles[0, 0] = 1": r"write layer\.tiles\[row, column\]",
    "g.tiles.cell_center(0, 0)": r"write layer\.cell_center\(\(row, column\)\)",
    "g.tiles.world_to_cell(3, 3)": r"write row, column = layer\.world_to_cell\(\(x, y\)\)",
    "g.camera.center_on(g.sprite)": r"write self\.camera\.follow\(sprite\)",
    "g.camera.zoom_to(2)": r"self\.tween\(self\.camera, zoom=2, duration=1\)",
    "collide.hits(g.sprite, g.batch)": r"write collide\.overlaps\(heroes, coins\)",
    "fw.scenes.PauseMenu()": r"write fw\.scenes\.Menu\('Paused'",
    "collide.overlaps(g.sprite, [g.sprite])": "put these sprites into one batch",
    "collide.overlaps(g.sprite, g.tiles)": r"for tiles write collide\.move",
    "g.save('best', 70)": "write saved = ",
    "fw.SolidColor(9, 9)": r"write np\.full\(\(24, 70, 4\), 255, np\.uint8\)",
    "fw.Recording": r"write game\.recording\.start",
    "fw.HealthBar()": r"progress_bar\(1\.0, width=120\)",
    "fw.run(fw.Game, 800, 600)": r"write fw\.run\(MyGame, size=\(800, 600\)",
    "fw.scenes.Menu('Pause', [('Go', None)])": "expected the actions of the buttons by their texts",
    "g.cube.rotation = 90": "expected four numbers, got 90; a rotation is a quaternion",
    "g.cube.rotation = (0.2, 0, 0)": r"write quaternions\.from_euler\(yaw, pitch, roll\)",
    "g.cubes.rotation = 90": r"write quaternions\.from_euler\(yaw, pitch, roll\)",
    "g.cubes.rotation = (0.2, 0, 0)": r"write quaternions\.from_euler\(yaw, pitch, roll\)",
    "g.cubes.add(rotation=(0.2, 0, 0))": r"write quaternions\.from_euler\(yaw, pitch, roll\)",
    "quaternions.euler(0, 0, 1)": r"write quaternions\.from_euler\(yaw, pitch, roll\)",
    "g.cube.velocity = (0, 1, 0)": r"motion='hermite'.*write bodies\.velocity",
    # -- 3D ------------------------------------------------------------------------------------
    "g.physics3.add_static(g.cubes)": r"write physics\.add\(batch, kind='static'\)",
    "g.physics3.add(g.add(fw.MeshBatch(fw.Mesh.plane((9, 9)), 1)), kind='static')": (
        r"would be 9 x 0 x 9 in size; for a flat floor, write physics\.add_floor\(0\)"
    ),
    "g.physics3.character(g.cube)": (
        r"row has no body; write physics\.add\(instance, shape='capsule', kind='kinematic'\) first"
    ),
    "g.physics3.character(g.cube, steps=1)": "did you mean step",
    "g.walker.move((0, 0, 0))": r"write character\.move\(velocity \* dt, dt\)",
    "g.walker.move_and_slide()": r"write character\.move\(velocity \* dt, dt\)",
    "g.walker.is_on_floor()": r"write character\.on_floor",
    "g.walker.velocity = (0, 1, 0)": r"write velocity\[1\] -= 10 \* dt",
    "g.walker.jumps = 2": "Character has no attribute 'jumps'",
    "g.car.throttle = 1": r"write vehicle\.drive\(force\)",
    "g.car.max_speed = 30": r"vehicle\.speed / 30",
    "g.car.steering": r"write vehicle\.steer\(0\.4\)",
    "g.hinge.motor_speed = 3": r"write joint\.drive\(speed, strength\)",
    "fw.Material(base_texture=g.img, scale=4)": r"fw\.Texture\(image, scale=\(4, 4\)\)",
    "fw.Material().albedo = 'red'": r"write material\.base_color",
    "fw.Terrain": r"fw\.Heightfield",
    "fw.MeshInstance3D": r"fw\.MeshBatch",
    "fw.CharacterController": r"physics\.character\(instance\)",
    "fw.Mesh.disc()": r"fw\.Mesh\.cylinder",
    "fw.Mesh.cube().triangles": r"write mesh\.indices",
    "fw.Heightfield([[0, 0], [0, 1]]).get_height(0, 0)": r"heightfield\.height_at",
    "g.cubes.index": r"write sprite\.row",
    "g.cubes.instances": "write for sprite in batch",
    "g.cube.global_position": r"write instance\.position",
    "g.cube.alpha = 0.5": r"instance\.color = \(1, 0, 0, 0\.5\)",
    "g.cubes.pick((-9, 9, 9), (9, -9, -9)).entity": r"write hit\.instance",
    "fw.Billboards().add(position=(0, 1, 0))": r"write billboards\.extend\(1, position",
    "g.world.lines.draw_line((0, 0, 0), (1, 1, 1))": r"write lines\.add",
    "g.world.camera.near_plane = 1": r"write camera\.near",
    "g.lamp.x = 3": r"write light\.position",
    "g.camera3d.position": r"write self\.world\.camera",
    "g.storage['best'] = 3": r"game\.save\('slot 1'\)",
    "g.step()": r"write game\.run_ticks\(1\)",
    "g.frame": r"write game\.tick",
    "g.save.get('best', 0)": r"in the class, then game\.save\('slot 1'\)",
    "g.save['best'] = 3": r"in the class, then game\.save\('slot 1'\)",
    "print(g.save['best'])": r"in the class, then game\.save\('slot 1'\)",
    "g.game.save['best'] = 3": r"in the class, then game\.save\('slot 1'\)",
    "g.keys['esc']": "Keys has no name 'esc'; did you mean 'escape'",
    "g.keys['ctrl']": "did you mean 'lctrl' or 'rctrl'",
    "fw.Actions(jump='Page_Up')": "'Page_Up' is not a key.*; did you mean 'pageup'",
    "g.labels.add('x', (3, 3), anchor='topleft')": "got 'topleft'; did you mean 'top left'",
    "g.ui.column(anchor='bottom_right')": "got 'bottom_right'; did you mean 'bottom right'",
    "fw.Replay.load('a.replay')": r"fw\.Replay\.open\('one\.replay'\)",
    "g.recording.save('a.replay')": r"write game\.recording\.start\('one\.replay'\)",
    "g.ui.column().button('Go', print).click()": r"write game\.testing\.click\('Play'\)",
    "fw.Clips(walk=fw.art.walker)": r"fw\.Clips\(fw\.art\.walker, walk=\(0, 4, 8\)\)",
}


ERRORS = (TypeError, AttributeError, ValueError, OverflowError, fw.AssetError)


class Level(fw.Game):
    """A game with most objects, whose ticks run the lines."""

    line = ""

    def setup(self) -> None:
        self.img = np.full((8, 8, 4), 255, np.uint8)
        self.batch = self.add(fw.SpriteBatch(self.img, 3))
        self.sprite = self.batch[0]
        self.cubes = self.add(fw.MeshBatch(fw.Mesh.box(), 2))
        self.cube = self.cubes[0]
        self.shapes = self.add(fw.Shapes())
        self.sparks = self.add(fw.Particles.sparks())
        self.tiles = self.add(fw.TileLayer(fw.TileSet([self.img], (8, 8)), [[1, 1], [1, 1]]))
        self.label = self.labels.add("x", (3, 3))
        self.sound = fw.Sound.tone(440, 0.1)
        self.physics2 = fw.Physics2D(self)
        self.physics3 = fw.Physics3D(self)
        self.bodies = self.physics2.add(self.batch)
        movers = [self.add(fw.MeshBatch(fw.Mesh.box())).add(position=(0, y, 0)) for y in (20, 30)]
        self.physics3.add(movers[0], kind="kinematic")
        self.walker = self.physics3.character(movers[0])
        self.physics3.add(movers[1])
        self.car = self.physics3.vehicle(movers[1], [(x, 0, z) for x in (-1, 1) for z in (-1, 1)])
        self.hinge = self.physics3.hinge(movers[1], None, (0, 30, 0), (0, 1, 0))
        self.joint = self.physics2.pivot(self.sprite, None, (0, 0))
        self.lamp = self.world.lights.add((0, 1, 0))
        self.box = self.shapes.add_box((0, 0), (9, 9))
        self.lights2 = self.add(fw.Lights2D())
        self.testing.connect()

    def update(self, dt: float) -> None:
        if self.line:
            names = {"fw": fw, "collide": collide, "quaternions": quaternions, "paths": paths}
            exec(self.line, {**names, "g": self, "__name__": "beginner"})


@pytest.fixture(scope="module")
def level() -> Iterator[Level]:
    pytest.importorskip("pymunk")
    pytest.importorskip("rapier3d")
    with Level(headless=True, drawing=False) as game:
        game.run_ticks(1)
        yield game


@pytest.mark.parametrize("line", ROWS)
def test_a_line_for_another_engine_gets_one_error_with_the_name_here(
    level: Level, line: str
) -> None:
    level.line = line
    with pytest.raises(ERRORS) as caught:
        level.run_ticks(1)
    level.line = ""
    notes = getattr(caught.value, "__notes__", [])
    assert re.search(ROWS[line], str(caught.value), re.DOTALL), str(caught.value)
    assert notes == []


def test_importing_a_name_of_another_engine_is_an_error_with_the_name_here() -> None:
    with pytest.raises(ImportError, match="positions are tuples and NumPy arrays"):
        exec("from framework import Vec3")
    with pytest.raises(ImportError, match="cannot import name 'Unknown' from 'framework'"):
        exec("from framework import Unknown")
    assert not hasattr(fw, "Vec3")


def test_no_advice_hides_a_module() -> None:
    for path in Path(fw.__path__[0]).iterdir():
        if (path / "__init__.py").exists():
            exec(f"from framework import {path.name}")


@pytest.mark.parametrize(("owner", "name"), [("sprites", "hp"), ("ui", "colum"), ("audio", "hp")])
def test_asking_whether_an_attribute_exists_looks_for_no_similar_name(
    make: Callable[..., Any], owner: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = getattr(make(), owner)
    with monkeypatch.context() as patch:
        patch.setattr("framework.moved_names.current_names", None)
        assert not hasattr(subject, name)
        assert getattr(subject, name, 3) == 3
        with pytest.raises(AttributeError) as caught:
            getattr(subject, name)
    error = caught.value
    assert f"has no attribute {name!r}; " in repr(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == error.args[0]
    assert traceback.format_exception_only(error) == [f"AttributeError: {error}\n"]


def test_unlikely_names_are_not_suggested() -> None:
    for kind, name in (
        (fw.Shapes, "rectangl"),
        (fw.Light3D, "enable"),
        (fw.Physics2D, "add_hing"),
        (fw.World, "wirefram"),
        (fw.World, "add_txt"),
        (fw.World, "sky_textures"),
    ):
        assert "did you mean" not in unknown_attribute(kind, name)
    assert unknown_attribute(fw.Physics2D, "point_query").endswith("did you mean 'query_point'?")
    assert option_hint("length", ["min_length", "max_length"]) == (
        "did you mean max_length or min_length?"
    )


def test_a_long_list_of_names_ends_after_a_whole_name() -> None:
    names = [f"attribute_{index}" for index in range(100)]
    listed_names = listed(names)
    assert listed_names.endswith(", …")
    assert {*listed_names.removesuffix(", …").split(", ")} < {*names}
    assert len(listed_names) <= 303
    assert listed(names[:3]) == "attribute_0, attribute_1, attribute_2"


def test_a_column_may_have_a_name_with_advice() -> None:
    batch = fw.SpriteBatch(np.full((2, 2, 4), 255, np.uint8), 1, columns={"alive": True})
    batch[0].alive = False  # type: ignore[attr-defined]
    assert batch.alive.tolist() == [False]  # type: ignore[attr-defined]


def test_the_error_of_a_scene_names_an_attribute_of_the_game() -> None:
    class Paused(fw.Scene):
        def update(self, dt: float) -> None:
            self.timestep.paused = True  # type: ignore[attr-defined]

    with fw.Game(headless=True, drawing=False) as game:
        game.show(Paused())
        with pytest.raises(AttributeError, match=r"the game has it: write self\.game\.timestep"):
            game.run_ticks(1)


@pytest.mark.parametrize("name", ["best", "win"])
def test_the_error_of_a_scene_names_the_games_own_attributes(name: str) -> None:
    class Hunt(fw.Game):
        def setup(self) -> None:
            self.best = 3

        def win(self) -> None: ...

    class Hunted(fw.Scene):
        def update(self, dt: float) -> None:
            getattr(self, name)

    with Hunt(headless=True, drawing=False) as game:
        game.show(Hunted())
        with pytest.raises(
            AttributeError,
            match=rf"'Hunted' object has no attribute '{name}'; the game has it: "
            rf"write self\.game\.{name}$",
        ):
            game.run_ticks(1)


def test_objects_of_games_that_derive_from_physics_accept_any_attribute() -> None:
    class World(fw.Physics2D):
        pass

    world: Any = World()
    world.wind = 3
    assert world.wind == 3


# -- the advice in the framework -------------------------------------------------------------------


@functools.cache
def _classes() -> list[type]:
    """Load each public name. Return the classes of all loaded modules of the framework."""
    for name in fw.__all__:
        getattr(fw, name)
    # By id, because Python 3.14 warns if a class of its module typing is compared.
    classes: dict[int, type] = {}
    waiting: list[type] = [object]
    while waiting:
        for subclass in type.__subclasses__(waiting.pop()):
            if id(subclass) not in classes:
                classes[id(subclass)] = subclass
                waiting.append(subclass)
    return [
        kind
        for kind in classes.values()
        if isinstance(kind.__module__, str) and kind.__module__.startswith("framework")
    ]


def _declared() -> Iterator[tuple[type, str, OtherName]]:
    for kind in _classes():
        for name, value in vars(kind).items():
            if isinstance(value, OtherName):
                yield kind, name, value


def test_no_name_of_another_engine_hides_an_attribute() -> None:
    for kind, name, _ in _declared():
        for base in kind.__mro__[1:]:
            value = vars(base).get(name)
            assert value is None or isinstance(value, Absent), f"{kind.__name__}.{name}"


# Words in advice, and the class or module that has their attributes.
OBJECTS: dict[str, Any] = {
    "fw": fw,
    "self": fw.Game,
    "game": fw.Game,
    "scene": fw.Scene,
    "collide": collide,
    "quaternions": quaternions,
    "paths": paths,
    "sprite": fw.Sprite,
    "instance": fw.Instance,
    "label": fw.Label,
    "camera": fw.Camera2D,
    "shapes": fw.Shapes,
    "particles": fw.Particles,
    "emitter": fw.Emitter,
    "voice": fw.Voice,
    "sound": fw.Sound,
    "audio": fw.Audio,
    "task": fw.Task,
    "layer": fw.TileLayer,
    "orbit": fw.Orbit,
    "lights": fw.Lights2D,
    "button": fw.widgets.Button,
    "widget": fw.widgets.TextLabel,
    "pad": fw.Gamepad,
    "keys": fw.Keys,
    "mouse": fw.Mouse,
    "shape": fw.Shape,
    "light": fw.Light3D,
    "material": fw.Material,
    "heightfield": fw.Heightfield,
    "billboards": fw.Billboards,
    "lines": fw.Lines,
    "mesh": fw.Mesh,
    "copy": fw.ModelInstance,
}


def _functions(kind: type) -> Iterator[tuple[str, FunctionType]]:
    for name, member in vars(kind).items():
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if isinstance(function, FunctionType):
            yield name, inspect.unwrap(function)


def _advice() -> Iterator[tuple[str, str]]:
    for kind, name, value in _declared():
        yield f"{kind.__name__}.{name}", value.advice
    yield from PACKAGE.items()
    for kind in _classes():
        if "_made_by" in vars(kind):
            yield kind.__name__, vars(kind)["_made_by"]
        for name, function in _functions(kind):
            for option, advice in vars(function).get("_other_options", {}).items():
                yield f"{kind.__name__}.{name}({option}=)", advice


def test_advice_names_attributes_that_exist() -> None:
    missing = []
    for source, advice in _advice():
        for word, attribute in re.findall(r"(?<![\w.])([a-z]\w*)\.([A-Za-z]\w*)", advice):
            owner = OBJECTS.get(word)
            if owner is None or attribute in ("wav", "ogg", "png", "glb", "tmx", "ttf"):
                continue
            value = inspect.getattr_static(owner, attribute, None)
            if word == "fw":
                value = getattr(fw, attribute, None)
            if word == "camera" and (value is None or isinstance(value, Absent)):
                value = getattr(fw.Camera3D, attribute, None)
            is_example = word == "self" and attribute in (
                "go",
                "rename",
                "intro",
                "actions",
                "ship",
                "physics",
                "history",
                "dragged",
            )
            if (value is None or isinstance(value, Absent)) and not is_example:
                missing.append(f"{source}: {word}.{attribute} in {advice!r}")
        for chain in re.findall(r"(?<![\w.])fw((?:\.[A-Za-z]\w*)+)", advice):
            value = fw
            for attribute in chain[1:].split("."):
                value = getattr(value, attribute, None)
            if value is None:
                missing.append(f"{source}: fw{chain} in {advice!r}")
    assert missing == []


def test_options_by_meaning_are_options_of_a_public_function() -> None:
    options = {"stroke_color", "stroke_width"}  # keys of the options of shapes
    for kind in _classes():
        for _, function in _functions(kind):
            options |= {*inspect.signature(function).parameters}
    suggested = {name for _, names in other_options._MEANINGS for name in names.split()}
    assert suggested - options == set()


# -- where errors get their advice -----------------------------------------------------------------


def test_a_user_class_with_the_name_of_a_framework_class_gets_no_advice() -> None:
    class Material:
        def __init__(self, shine: float = 0) -> None: ...

    with pytest.raises(TypeError) as caught:
        Material(color="red")  # type: ignore[call-arg]
    advise(caught.value)
    assert "did you mean base_color" not in str(caught.value)


def test_errors_of_user_functions_keep_their_messages() -> None:
    def fly(speed: float) -> None: ...

    for call in (lambda: fly(spede=3), lambda: fly(), lambda: "a" + 1):  # type: ignore
        with pytest.raises(TypeError) as caught:
            call()
        before = str(caught.value)
        advise(caught.value)
        assert str(caught.value) == before


def test_advice_is_given_once() -> None:
    with pytest.raises(TypeError) as caught:
        fw.Shapes().add_circle()  # type: ignore[call-arg]
    advise(caught.value)
    message = str(caught.value)
    advise(caught.value)
    assert str(caught.value) == message
    assert message.endswith("write shapes.add_circle((x, y), 20)")


def test_a_program_that_ends_with_an_error_prints_the_advice(tmp_path: Path) -> None:
    file = tmp_path / "game.py"
    file.write_text("import framework as fw\nGOLD = fw.Material(color='gold')\n")
    process = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(fw.__file__).parents[1])},
    )
    assert process.stderr.endswith("unknown option 'color'; did you mean base_color?\n")


def test_a_user_class_may_use_every_name() -> None:
    class Coins(fw.SpriteBatch):
        def __init__(self) -> None:
            super().__init__(np.full((2, 2, 4), 255, np.uint8), 2)
            self.count = 3
            self.count += 1

    class Dial(fw.Widget):
        hide = 5

        def __init__(self) -> None:
            super().__init__()
            self.width = 3
            self.x = 4
            self.x += 1

    coins = Coins()
    dial = Dial()
    assert (coins.count, dial.width, dial.x, dial.hide) == (4, 3, 5, 5)
    assert coins.count == vars(coins)["count"]


def test_names_of_other_engines_are_not_listed() -> None:
    batch = fw.SpriteBatch(np.full((2, 2, 4), 255, np.uint8), 2)
    for owner, name in ((batch, "count"), (batch[0], "kill"), (fw.Particles(), "burst")):
        assert name not in dir(owner)


def test_a_long_advance_warns_and_a_short_advance_does_not() -> None:
    with fw.Game(headless=True, drawing=False) as game:
        with pytest.warns(RuntimeWarning, match=r"advance: 1\.5 s .*game\.run_ticks\(60\)"):
            game.advance(1.5)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(3):
                game.advance(1 / 60)
            game.timestep.paused = True
            game.advance(1.5)
