"""Which files of tests/problems are written in Python, of those with several problems at least one, and why the others are not."""

import closed_problems as closed
import problems

# The problems of each file that are written in Python.
written = {
    "andrews_squeezer": [problems.andrews_squeezer],
    "belt_fit": [closed.belt_fit],
    "belt_stick_slip": [problems.belt_stick_slip, problems.belt_stick_slip_v1, problems.oscillating_belt],
    "boost_converter": [problems.boost_converter, problems.boost_converter_dcm],
    "bouncing_ball": [problems.bouncing_ball],
    "bouncing_balls": [closed.bouncing_balls],
    "bowed_string": [problems.bowed_string],
    "brick_pile": [closed.brick_pile],
    "car_axis": [problems.car_axis],
    "carver_circuit": [problems.carver_circuit],
    "clutch": [closed.clutch],
    "compound_pendulum": [problems.compound_pendulum],
    "derivative_guard": [closed.derivative_guard],
    "diode_circuits": [closed.half_wave_with_a_diode],
    "diode_rectifier": [problems.diode_rectifier],
    "disode_p1": [problems.disode_p1],
    "disode_p3": [problems.disode_p3],
    "disode_p4": [problems.disode_p4],
    "dsl48se_small_hybrid": [problems.small_hybrid],
    "grazing_oscillator": [closed.oscillator_beside_a_stop],
    "index_five": [closed.index_five_chain],
    "kepler": [closed.kepler],
    "latched_sliders": [closed.latched_sliders],
    "many_modes": [closed.many_modes],
    "marble_jar": [problems.marble_jar_2, problems.marble_jar_4],
    "moving_surface": [closed.moving_surface],
    "pendulum": [problems.pendulum],
    "pounding": [problems.disode_p2],
    "rectifiers": [closed.half_wave_rectifier, closed.bridge_rectifier],
    "resting_ball": [closed.resting_ball],
    "robertson": [problems.robertson],
    "rolling_spheres": [problems.rolling_spheres],
    "rope_pendulum": [closed.cut_rope, closed.slack_rope],
    "row_of_balls": [closed.row_of_balls],
    "smooth_events": [closed.ball_in_air],
    "switched_lq": [closed.switched_lq],
    "thermostat": [closed.thermostat],
    "touching_bodies": [closed.block_on_slope],
    "transistor_amplifier": [problems.transistor_amplifier],
    "two_body_stick_slip": [problems.two_body_stick_slip],
    "two_capacitors": [closed.two_capacitors],
    "van_der_pol": [problems.van_der_pol],
}

# Named problems that nobody has written in Python.
missing: list = []

# No problems with a solution of their own: many random ones beside exact solutions or controls, …
studies = """brick_sweep class_change_runs clock_pairs detection_cases detection_study pencil_study random_contacts
    random_contacts_study random_dae_study random_daes random_diode_networks random_hybrid random_hybrid_events random_hybrid_maker random_hybrid_model
    random_hybrid_oracle random_hybrid_run random_hybrid_smaller random_hybrid_study random_hybrid_text random_mode_models random_pencil_study random_pencils relay_systems
    relay_systems_reference relay_systems_series relay_systems_study solved_thresholds surface_starts
    switched_pencils tolerance_study unscaled_ranks""".split()
# … models that are analysed and not run, …
analysed = "class_changes index_models known_values second_order_models".split()
# … the same problems once more, as plain functions or templates of C++ or with derivatives, and lists and descriptions of problems.
others = """carver_template disode_p2_functions mechanism mechanism_points mechanisms mode_problem mode_problems sensitive_differences
    sensitive_problem sensitive_problems sensitive_reference sensitive_surfaces sliding_problem sliding_problems
    sliding_reference smooth_problem smooth_problems switched_problem switched_problems""".split()
